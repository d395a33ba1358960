// Package gen writes inputs for tests and benchmarks: files shaped like real
// ones, of any size, the same bytes for the same kind, size and seed on every
// platform (integers only, a generator of its own).
//
//	taxi      NYC yellow taxi trips of 2018: 17 columns, header, short numbers
//	yelp      reviews: nine quoted columns, text with newlines, commas and ""
//	lineitem  TPC-H's largest table: 16 columns, each ended by '|', no header
//	combined  an Apache access log in the combined format
//	1brc      station;temperature, the one billion row challenge
//	haproxy   an HTTP log of HAProxy, 28 fields
//	syslog    lines of RFC 3164, as files have them
//	java      a log of Log4j; java_multiline has stack traces as well
//	auditd    the audit log of Linux: keys and values
//	fixed     movements of accounts, columns of fixed width
//	postgres  PostgreSQL's log, messages of several lines
//	klog      logs of Kubernetes' components
//	syslog_rfc5424, w3c, logfmt
//	          for the built-in formats of these names
//	torture   RFC 4180 records that look like other records inside their quotes
//
// Those that are no built-in formats have formats of their own of the same name,
// 1brc two, stations and stations_dict. They are here and not in package formats:
// Find knows them by name.
//
// It does not aim at the statistics of the originals beyond what matters to a
// parser: lengths, alphabets, how often a rare thing occurs.
package gen
