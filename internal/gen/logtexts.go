package gen

// What stands in the logs, as messages of appendMessage.

type daemon struct {
	tag      string
	pid      bool
	messages []string
}

type auditKind struct{ name, text string }

var (
	processIDs = []int{0, 400, 900, 1800, 7998, 16442, 28133, 99000, 3685002}

	syslogHosts   = []string{"web01", "web02", "web11", "db-primary", "veridian", "sd-126005", "ip-10-0-3-17", "mail.example.com"}
	syslogDaemons = []daemon{
		{"sshd", true, []string{
			"Invalid user $ from @ port #", "Accepted publickey for $ from @ port # ssh2: RSA SHA256:^^^^",
			"Connection closed by @ port # [preauth]", "pam_unix(sshd:session): session opened for user $ by (uid=#)",
			"Received disconnect from @ port #:11: Bye Bye [preauth]", "Failed password for invalid user $ from @ port # ssh2",
		}},
		{"kernel", false, []string{
			"[#.#] [UFW BLOCK] IN=eth0 OUT= MAC=^^ SRC=@ DST=@ LEN=# TOS=0x00 PREC=0x00 TTL=# ID=# PROTO=TCP SPT=# DPT=# WINDOW=# RES=0x00 SYN URGP=0",
			"[#.#] usb 1-#: new high-speed USB device number # using xhci_hcd", "[#.#] eth0: link up",
		}},
		{"CRON", true, []string{
			"(root) CMD (   cd / && run-parts --report /etc/cron.hourly)", "pam_unix(cron:session): session closed for user root",
			"($) CMD (test -x ~ && ~)",
		}},
		{"systemd", true, []string{
			"Started Session # of user $.", "Starting Daily apt download activities...", "$.service: Succeeded.",
			"$.service: Main process exited, code=exited, status=#/n/a",
		}},
		{"postfix/smtpd", true, []string{
			"connect from unknown[@]", "disconnect from unknown[@] ehlo=# auth=0/# quit=# commands=#/#", "lost connection after AUTH from unknown[@]",
		}},
		{"dhclient", true, []string{"DHCPREQUEST of @ on eth0 to @ port 67 (xid=0x^)", "bound to @ -- renewal in # seconds."}},
		{"sudo", false, []string{"   $ : TTY=pts/# ; PWD=~ ; USER=root ; COMMAND=~ $"}},
		{"dockerd", true, []string{`time="2025-05-01T00:00:00Z" level=info msg="ignoring event" container=^^^^ module=libcontainerd topic=/tasks/delete`}},
	}

	javaLevels   = []string{"INFO ", "INFO ", "INFO ", "INFO ", "INFO ", "DEBUG", "DEBUG", "DEBUG", "WARN ", "ERROR"}
	javaThreads  = []string{"main", "http-nio-8080-exec-", "pool-3-thread-", "scheduling-", "kafka-consumer-", "background-preinit", "ForkJoinPool-1-worker-"}
	javaPackages = []string{"com.example.shop.", "com.example.shop.order.", "org.springframework.web.servlet.", "o.a.k.clients.", "c.e.s.", "org.hibernate.engine.jdbc.spi.", "io.netty.channel."}
	javaClasses  = []string{"OrderService", "DispatcherServlet", "SqlExceptionHelper", "FarmApplication", "ZookeeperConfig", "Producer", "JobRunner", "Cache", "AbstractFetcherThread"}
	javaMethods  = []string{"run", "invoke", "doFilter", "get", "lambda$start$0", "handleRequest", "access$100", "<init>"}
	javaMessages = []string{
		"Started in #.# seconds (process running for #.#)", "GET ~ took # ms", "order # of customer $ is accepted: # items, total #.#",
		"Connection state changed on client @:# to state CONNECTED.", "SQL Error: #, SQLState: ^", "cache miss: key=$-#",
		"retry # of # for ~ - backing off", "The following # profiles are active: \"$\", \"$\"", "ok", "",
		"[Consumer clientId=consumer-#, groupId=$] Resetting offset for partition $-# to position FetchPosition{offset=#, offsetEpoch=Optional.empty}.",
		"request ^ from @ user=$ agent=\"Mozilla/5.0 (X11; Linux x86_64)\" status=# bytes=#",
	}
	javaExceptions = []string{"java.lang.IllegalStateException", "java.io.IOException", "org.postgresql.util.PSQLException", "java.util.concurrent.TimeoutException"}

	auditKinds = []auditKind{
		{"SYSCALL", `arch=c000003e syscall=# success=yes exit=# a0=^ a1=^ a2=^ a3=# items=2 ppid=# pid=# auid=1000 uid=0 gid=0 euid=0 suid=0 fsuid=0 egid=0 sgid=0 fsgid=0 tty=pts# ses=# comm="$" exe="~" subj=unconfined key=(null)`},
		{"SYSCALL", `arch=c000003e syscall=# success=no exit=-# a0=^ a1=^ a2=0 a3=0 items=1 ppid=# pid=# auid=4294967295 uid=# gid=# euid=# suid=# fsuid=# egid=# sgid=# fsgid=# tty=(none) ses=4294967295 comm="$" exe="~" key="$"`},
		{"EXECVE", `argc=3 a0="$" a1="-#" a2="~"`},
		{"CWD", `cwd="~"`},
		{"PATH", `item=# name="~" inode=# dev=fd:00 mode=0100755 ouid=0 ogid=0 rdev=00:00 nametype=NORMAL cap_fp=0 cap_fi=0 cap_fe=0 cap_fver=0 cap_frootid=0`},
		{"PROCTITLE", `proctitle=^^^^^^`},
		{"USER_ACCT", `pid=# uid=0 auid=4294967295 ses=4294967295 msg='op=PAM:accounting grantors=pam_permit acct="$" exe="~" hostname=? addr=@ terminal=ssh res=success'`},
		{"CRED_ACQ", `pid=# uid=0 auid=4294967295 ses=4294967295 msg='op=PAM:setcred grantors=pam_unix acct="root" exe="/usr/sbin/cron" hostname=? addr=? terminal=cron res=success'`},
	}

	movementTexts = []string{
		"Rent", "Salary", "GROCER 0042 HAMBURG", "Card payment", "Electricity, second quarter", "Insurance", "BAKERY", "Transfer to savings",
		"ATM 20099", "Subscription", "Refund of order 17-442", "Tax office", "Petrol station 1182", "Books", "",
	}
	movementCents = []int{0, 199, 450, 999, 1850, 3200, 5999, 12900, 81250, 231000, 9000000}

	postgresErrors = []string{
		`relation "$" does not exist at character #`, `duplicate key value violates unique constraint "$_pkey"`, `syntax error at or near "$" at character #`,
		"canceling statement due to user request", "deadlock detected",
	}
	postgresStatements = []string{
		"SELECT * FROM users WHERE last_login > NOW() - INTERVAL '7 days';", "COMMIT", "BEGIN",
		"select o.id, o.total from orders o\n\t  join customers c on c.id = o.customer\n\t where c.name = $1\n\t order by o.id desc\n\t limit 50",
		"UPDATE accounts SET balance = balance - $1 WHERE id = $2 RETURNING balance", "CREATE INDEX idx_users_email ON users(email);",
		"insert into events (at, kind, payload)\n\tvalues (now(), $1, $2::jsonb)",
	}
	postgresMessages = []string{
		"connection received: host=@ port=#", "connection authorized: user=$ database=$ application_name=psql", "checkpoint starting: time",
		"checkpoint complete: wrote # buffers (#.#%); 0 WAL file(s) added, # removed, # recycled; write=#.# s, sync=#.# s, total=#.# s",
		"disconnection: session time: 0:00:#.# user=$ database=$ host=@ port=#", "statement: SELECT 1",
		`automatic vacuum of table "$.public.$": index scans: #`, `temporary file: path "base/pgsql_tmp/pgsql_tmp#.0", size #`,
	}

	klogFiles    = []string{"klog.go", "scheduler.go", "kubelet.go", "reconciler_common.go", "event.go", "pod_startup_latency_tracker.go", "leaderelection.go", "httplog.go"}
	klogMessages = []string{
		`"Operation completed" pod="$/$-^-^" duration="#.#s"`, "hello from klog", `"SyncLoop (PLEG)" pod="kube-system/$-^" event={"ID":"^^","Type":"ContainerStarted"}`,
		`"HTTP" verb="GET" URI="~" latency="#.#ms" userAgent="kube-probe/1.29" audit-ID="^-^-^" srcIP="@:#" resp=200`,
		"Successfully acquired lease kube-system/$", "Unable to authenticate the request due to an error: [invalid bearer token]",
		`couldn't get resource list for $.k8s.io/v1: the server is currently unable to handle the request`,
	}

	structured = []string{
		`[exampleSDID@32473 iut="#" eventSource="Application" eventID="#"]`, `[origin ip="@" software="rsyslogd" swVersion="8.2102.0"]`,
		`[timeQuality tzKnown="1" isSynced="1" syncAccuracy="#"][meta sequenceId="#" sysUpTime="#"]`, `[$@32473 path="~" note="a \"$\""]`,
	}

	logfmtMessages = []string{
		`ok`, `"GET ~ took a while"`, `"pod $/$-^-^ is not found: PodNotFound"`, `"DeletionGracePeriodSeconds set to #"`, `"user \"$\" has logged in"`, `started`,
	}
	logfmtPairs = []string{
		`namespace=$-#`, `pod=$-^-^`, `status=#`, `bytes=#`, `reason=`, `cached`, `duration=#.#ms`, `remote=@:#`, `path=~`, `err="connect: connection refused"`, `uid=^-^-^`, `node=worker-#`,
	}
)
