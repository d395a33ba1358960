package pick

// Measured is the model of the machine that dfaparse is measured on, an NVIDIA H200 and
// 16 cores of an Intel Xeon beside it: docs/gpu.md says how. Maps and what the host
// converts are of a later day, beside an H100. It is what there is as long as nobody
// has fitted one to this machine.
func Measured() *Model {
	return &Model{
		Cores: 16,
		CPU: Engine{Start: Start{0.015, 0.03}, Rates: map[Class]Rates{
			Numbers: {1.3, 11.5}, Texts: {2.4, 17}, Logs: {1.35, 11.5}, Maps: {1.1, 12}, Hosted: {1.1, 12},
		}},
		GPU: Engine{Start: Start{0.25, 0.31}, Rates: map[Class]Rates{
			Numbers: {2.4, 22}, Texts: {2.9, 22}, Logs: {2.15, 14}, Maps: {1.9, 17}, Hosted: {0.9, 2.4},
		}},
	}
}

// outputs are the GB of input a second of which one core writes the rows: of taxi, on an
// AMD EPYC; Arrow is what the system's cache takes. They need not be exact: what is
// written is far behind all that reads, or is not.
var outputs = map[string]float64{"none": 0, "arrow": 2, "arrows": 2, "parquet": 0.14, "csv": 0.05, "tsv": 0.05, "jsonl": 0.05, "table": 0.014}

// OutputRate is Reading.Output for a form of output.
func OutputRate(kind string) float64 { return outputs[kind] }
