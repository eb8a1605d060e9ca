enum { stitch_ir_is_empty = 1 };
