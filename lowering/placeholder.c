enum { stitch_lowering_is_empty = 1 };
