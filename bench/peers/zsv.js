// Counts the rows of a file with zsv-lib.
const fs = require("fs");
const zsv = require("zsv-lib");

zsv.runOnLoad(() => {
  let rows = 0;
  const parser = zsv.new(() => { rows++; }, null, { rowData: false });
  const file = fs.openSync(process.argv[2], "r");
  const block = Buffer.alloc(1 << 18);
  for (let n; (n = fs.readSync(file, block, 0, block.length, null)) > 0; ) parser.parseBytes(block.subarray(0, n));
  parser.finish();
  parser.delete();
  console.log(rows);
});
