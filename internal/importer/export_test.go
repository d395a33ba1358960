package importer

// Joins are, by the name of a key of dissect, the columns that it is put together of.
func (m *Imported) Joins() map[string][]string { return m.joins }
