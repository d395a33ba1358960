// Package union makes one table of several inputs: their columns are matched by name
// or by position, and the folders that inputs lie in may be columns as well.
//
//	a.csv   id,v        id  v  w
//	        1,x         1   x  null
//	b.csv   w,id   →    2   null  y     with ByName
//	        y,2
package union
