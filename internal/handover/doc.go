// Package handover fills the C structures by which arrays in a device's memory go to
// other libraries: Arrow's C Device Data Interface, and DLPack. It is there under the
// build tag cuda only.
package handover
