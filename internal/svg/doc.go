// Package svg draws small directed graphs, automata above all, as SVG, without
// Graphviz.
//
// It draws in layers from left to right (Sugiyama, Tagawa and Toda, 1981):
//
//	layers  edges that close a cycle are turned round; a node stands to the
//	        right of all it is reached from
//	items   every edge becomes a chain of items, one a layer that it crosses;
//	        the one in its middle is its label, so that labels have room of
//	        their own and are never under a node
//	order   the items of a layer are sorted by where their neighbours stand
//	place   each item goes to the mean height of its neighbours, as near as
//	        those beside it allow
//	draw    curves through the items of each chain, labels on top
//
// Graphs of some twenty nodes stay readable; of more nothing does.
package svg
