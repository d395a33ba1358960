package main

import "github.com/spf13/cobra"

func newDevices(std *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "devices",
		Short: "List the GPUs that the engine gpu can run on",
		Long: `Devices lists the NVIDIA GPUs: number (for --device), name, memory, compute
capability, and the driver with the version of CUDA that it is for. If none is
usable it says why, and the exit code is 1.

Only ` + cudaCommand + ` can talk to a GPU. This command hands over to it if it is
beside this one or on PATH.`,
		Args: arguments(0, 0, ""),
		RunE: func(*cobra.Command, []string) error { return listDevices(std) },
	}
}
