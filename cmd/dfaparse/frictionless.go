package main

import (
	"encoding/json"
	"io"

	"github.com/apache/arrow/go/v17/arrow"

	"github.com/dfaparse/dfaparse/internal/output"
)

// writeFrictionless writes the columns as a Table Schema of Frictionless: that of what
// parse --to csv writes.
func writeFrictionless(w io.Writer, s *arrow.Schema) error {
	type constraints struct {
		Required bool `json:"required"`
	}
	type column struct {
		Name        string       `json:"name"`
		Type        string       `json:"type"`
		Format      string       `json:"format,omitempty"`
		Constraints *constraints `json:"constraints,omitempty"`
	}
	var schema struct {
		Fields        []column `json:"fields"`
		MissingValues []string `json:"missingValues"`
	}
	schema.MissingValues = []string{""}
	for _, f := range s.Fields() {
		c := column{Name: f.Name, Type: frictionlessType(f.Type)}
		if output.TypeName(f) == "uuid" {
			c.Format = "uuid"
		}
		if !f.Nullable {
			c.Constraints = &constraints{true}
		}
		schema.Fields = append(schema.Fields, c)
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(schema)
}

// frictionlessType is the type of Frictionless for values as CSV has them.
func frictionlessType(t arrow.DataType) string {
	switch t.ID() {
	case arrow.BOOL:
		return "boolean"
	case arrow.INT8, arrow.INT16, arrow.INT32, arrow.INT64, arrow.UINT8, arrow.UINT16, arrow.UINT32, arrow.UINT64:
		return "integer"
	case arrow.FLOAT32, arrow.FLOAT64, arrow.DECIMAL128:
		return "number"
	case arrow.DATE32:
		return "date"
	case arrow.TIME32, arrow.TIME64:
		return "time"
	case arrow.TIMESTAMP:
		return "datetime"
	case arrow.LIST:
		return "array"
	case arrow.MAP:
		return "object"
	}
	return "string"
}
