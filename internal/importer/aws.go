package importer

import (
	"regexp"
	"strings"

	"github.com/dfaparse/dfaparse/compile"
)

// Lists of fields of AWS, as the custom format of VPC flow logs is written:
// https://docs.aws.amazon.com/vpc/latest/userguide/flow-log-records.html. Fields
// are separated by spaces, a dash is no value, and files of S3 have a line with the
// names.

// awsTypes are the fields of flow logs, of VPCs and of transit gateways, that are no text.
var awsTypes = map[string]string{
	"version": "u8", "srcaddr": "ip", "dstaddr": "ip", "pkt-srcaddr": "ip", "pkt-dstaddr": "ip", "srcport": "u16", "dstport": "u16", "protocol": "u8",
	"packets": "u64", "bytes": "u64", "start": "ts(epoch(s))", "end": "ts(epoch(s))", "action": "dict", "log-status": "dict", "tcp-flags": "u16", "type": "dict",
	"region": "dict", "flow-direction": "dict", "traffic-path": "u8", "packets-lost-no-route": "u64", "packets-lost-blackhole": "u64",
	"packets-lost-mtu-exceeded": "u64", "packets-lost-ttl-expired": "u64", "resource-type": "dict", "vpc-id": "dict", "subnet-id": "dict", "az-id": "dict",
	"account-id": "dict", "interface-id": "dict",
}

var awsField = regexp.MustCompile(`^(?:\$\{([A-Za-z][A-Za-z0-9_-]*)\}|([A-Za-z][A-Za-z0-9_-]*))`)

func readAWS(d *draft) {
	first := ""
	for at := 0; at < len(d.text); {
		if strings.IndexByte(" \t\r\n", d.text[at]) >= 0 {
			at++
			continue
		}
		m := awsField.FindStringSubmatch(d.text[at:])
		if m == nil {
			d.fail(at, "%s is no field: ${name}, with spaces between the fields", clip(d.text[at:]))
			return
		}
		end := at + len(m[0])
		if end < len(d.text) && strings.IndexByte(" \t\r\n", d.text[end]) < 0 {
			d.fail(end, "after a field comes a space")
			return
		}
		name := m[1] + m[2]
		if d.used[name] {
			d.fail(at, "%s is there twice", name)
			return
		}
		if d.used[name] = true; first == "" {
			first = name
		}
		typ := awsTypes[name]
		if typ == "" {
			typ = "str"
		}
		d.columns = append(d.columns, column{name, typ, nil, at})
		at = end
	}
	if first == "" {
		return
	}
	d.table = true
	d.spec.Delimited(compile.Separator(" ")).SkipPrefix(first + " ").Null("-").OnError("reject")
}
