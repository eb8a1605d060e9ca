// Adam's update of 60 small parameters; what is kept of the second moment is its root. By export/adam_updates.py.
module @adam_updates {
  func.func public @main(%p0: tensor<64xf32>, %g0: tensor<64xf32>, %m0: tensor<64xf32>, %v0: tensor<64xf32>, %p1: tensor<80xf32>, %g1: tensor<80xf32>, %m1: tensor<80xf32>, %v1: tensor<80xf32>, %p2: tensor<104xf32>, %g2: tensor<104xf32>, %m2: tensor<104xf32>, %v2: tensor<104xf32>, %p3: tensor<128xf32>, %g3: tensor<128xf32>, %m3: tensor<128xf32>, %v3: tensor<128xf32>, %p4: tensor<152xf32>, %g4: tensor<152xf32>, %m4: tensor<152xf32>, %v4: tensor<152xf32>, %p5: tensor<176xf32>, %g5: tensor<176xf32>, %m5: tensor<176xf32>, %v5: tensor<176xf32>, %p6: tensor<200xf32>, %g6: tensor<200xf32>, %m6: tensor<200xf32>, %v6: tensor<200xf32>, %p7: tensor<224xf32>, %g7: tensor<224xf32>, %m7: tensor<224xf32>, %v7: tensor<224xf32>, %p8: tensor<248xf32>, %g8: tensor<248xf32>, %m8: tensor<248xf32>, %v8: tensor<248xf32>, %p9: tensor<272xf32>, %g9: tensor<272xf32>, %m9: tensor<272xf32>, %v9: tensor<272xf32>, %p10: tensor<296xf32>, %g10: tensor<296xf32>, %m10: tensor<296xf32>, %v10: tensor<296xf32>, %p11: tensor<320xf32>, %g11: tensor<320xf32>, %m11: tensor<320xf32>, %v11: tensor<320xf32>, %p12: tensor<344xf32>, %g12: tensor<344xf32>, %m12: tensor<344xf32>, %v12: tensor<344xf32>, %p13: tensor<368xf32>, %g13: tensor<368xf32>, %m13: tensor<368xf32>, %v13: tensor<368xf32>, %p14: tensor<384xf32>, %g14: tensor<384xf32>, %m14: tensor<384xf32>, %v14: tensor<384xf32>, %p15: tensor<408xf32>, %g15: tensor<408xf32>, %m15: tensor<408xf32>, %v15: tensor<408xf32>, %p16: tensor<432xf32>, %g16: tensor<432xf32>, %m16: tensor<432xf32>, %v16: tensor<432xf32>, %p17: tensor<456xf32>, %g17: tensor<456xf32>, %m17: tensor<456xf32>, %v17: tensor<456xf32>, %p18: tensor<480xf32>, %g18: tensor<480xf32>, %m18: tensor<480xf32>, %v18: tensor<480xf32>, %p19: tensor<504xf32>, %g19: tensor<504xf32>, %m19: tensor<504xf32>, %v19: tensor<504xf32>, %p20: tensor<528xf32>, %g20: tensor<528xf32>, %m20: tensor<528xf32>, %v20: tensor<528xf32>, %p21: tensor<552xf32>, %g21: tensor<552xf32>, %m21: tensor<552xf32>, %v21: tensor<552xf32>, %p22: tensor<576xf32>, %g22: tensor<576xf32>, %m22: tensor<576xf32>, %v22: tensor<576xf32>, %p23: tensor<600xf32>, %g23: tensor<600xf32>, %m23: tensor<600xf32>, %v23: tensor<600xf32>, %p24: tensor<624xf32>, %g24: tensor<624xf32>, %m24: tensor<624xf32>, %v24: tensor<624xf32>, %p25: tensor<648xf32>, %g25: tensor<648xf32>, %m25: tensor<648xf32>, %v25: tensor<648xf32>, %p26: tensor<672xf32>, %g26: tensor<672xf32>, %m26: tensor<672xf32>, %v26: tensor<672xf32>, %p27: tensor<688xf32>, %g27: tensor<688xf32>, %m27: tensor<688xf32>, %v27: tensor<688xf32>, %p28: tensor<712xf32>, %g28: tensor<712xf32>, %m28: tensor<712xf32>, %v28: tensor<712xf32>, %p29: tensor<736xf32>, %g29: tensor<736xf32>, %m29: tensor<736xf32>, %v29: tensor<736xf32>, %p30: tensor<760xf32>, %g30: tensor<760xf32>, %m30: tensor<760xf32>, %v30: tensor<760xf32>, %p31: tensor<784xf32>, %g31: tensor<784xf32>, %m31: tensor<784xf32>, %v31: tensor<784xf32>, %p32: tensor<808xf32>, %g32: tensor<808xf32>, %m32: tensor<808xf32>, %v32: tensor<808xf32>, %p33: tensor<832xf32>, %g33: tensor<832xf32>, %m33: tensor<832xf32>, %v33: tensor<832xf32>, %p34: tensor<856xf32>, %g34: tensor<856xf32>, %m34: tensor<856xf32>, %v34: tensor<856xf32>, %p35: tensor<880xf32>, %g35: tensor<880xf32>, %m35: tensor<880xf32>, %v35: tensor<880xf32>, %p36: tensor<904xf32>, %g36: tensor<904xf32>, %m36: tensor<904xf32>, %v36: tensor<904xf32>, %p37: tensor<928xf32>, %g37: tensor<928xf32>, %m37: tensor<928xf32>, %v37: tensor<928xf32>, %p38: tensor<952xf32>, %g38: tensor<952xf32>, %m38: tensor<952xf32>, %v38: tensor<952xf32>, %p39: tensor<976xf32>, %g39: tensor<976xf32>, %m39: tensor<976xf32>, %v39: tensor<976xf32>, %p40: tensor<992xf32>, %g40: tensor<992xf32>, %m40: tensor<992xf32>, %v40: tensor<992xf32>, %p41: tensor<1016xf32>, %g41: tensor<1016xf32>, %m41: tensor<1016xf32>, %v41: tensor<1016xf32>, %p42: tensor<1040xf32>, %g42: tensor<1040xf32>, %m42: tensor<1040xf32>, %v42: tensor<1040xf32>, %p43: tensor<1064xf32>, %g43: tensor<1064xf32>, %m43: tensor<1064xf32>, %v43: tensor<1064xf32>, %p44: tensor<1088xf32>, %g44: tensor<1088xf32>, %m44: tensor<1088xf32>, %v44: tensor<1088xf32>, %p45: tensor<1112xf32>, %g45: tensor<1112xf32>, %m45: tensor<1112xf32>, %v45: tensor<1112xf32>, %p46: tensor<1136xf32>, %g46: tensor<1136xf32>, %m46: tensor<1136xf32>, %v46: tensor<1136xf32>, %p47: tensor<1160xf32>, %g47: tensor<1160xf32>, %m47: tensor<1160xf32>, %v47: tensor<1160xf32>, %p48: tensor<1184xf32>, %g48: tensor<1184xf32>, %m48: tensor<1184xf32>, %v48: tensor<1184xf32>, %p49: tensor<1208xf32>, %g49: tensor<1208xf32>, %m49: tensor<1208xf32>, %v49: tensor<1208xf32>, %p50: tensor<1232xf32>, %g50: tensor<1232xf32>, %m50: tensor<1232xf32>, %v50: tensor<1232xf32>, %p51: tensor<1256xf32>, %g51: tensor<1256xf32>, %m51: tensor<1256xf32>, %v51: tensor<1256xf32>, %p52: tensor<1280xf32>, %g52: tensor<1280xf32>, %m52: tensor<1280xf32>, %v52: tensor<1280xf32>, %p53: tensor<65xf32>, %g53: tensor<65xf32>, %m53: tensor<65xf32>, %v53: tensor<65xf32>, %p54: tensor<127xf32>, %g54: tensor<127xf32>, %m54: tensor<127xf32>, %v54: tensor<127xf32>, %p55: tensor<128xf32>, %g55: tensor<128xf32>, %m55: tensor<128xf32>, %v55: tensor<128xf32>, %p56: tensor<256xf32>, %g56: tensor<256xf32>, %m56: tensor<256xf32>, %v56: tensor<256xf32>, %p57: tensor<512xf32>, %g57: tensor<512xf32>, %m57: tensor<512xf32>, %v57: tensor<512xf32>, %p58: tensor<1001xf32>, %g58: tensor<1001xf32>, %m58: tensor<1001xf32>, %v58: tensor<1001xf32>, %p59: tensor<1280xf32>, %g59: tensor<1280xf32>, %m59: tensor<1280xf32>, %v59: tensor<1280xf32>, %rate: tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<80xf32>, tensor<80xf32>, tensor<80xf32>, tensor<104xf32>, tensor<104xf32>, tensor<104xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<152xf32>, tensor<152xf32>, tensor<152xf32>, tensor<176xf32>, tensor<176xf32>, tensor<176xf32>, tensor<200xf32>, tensor<200xf32>, tensor<200xf32>, tensor<224xf32>, tensor<224xf32>, tensor<224xf32>, tensor<248xf32>, tensor<248xf32>, tensor<248xf32>, tensor<272xf32>, tensor<272xf32>, tensor<272xf32>, tensor<296xf32>, tensor<296xf32>, tensor<296xf32>, tensor<320xf32>, tensor<320xf32>, tensor<320xf32>, tensor<344xf32>, tensor<344xf32>, tensor<344xf32>, tensor<368xf32>, tensor<368xf32>, tensor<368xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<408xf32>, tensor<408xf32>, tensor<408xf32>, tensor<432xf32>, tensor<432xf32>, tensor<432xf32>, tensor<456xf32>, tensor<456xf32>, tensor<456xf32>, tensor<480xf32>, tensor<480xf32>, tensor<480xf32>, tensor<504xf32>, tensor<504xf32>, tensor<504xf32>, tensor<528xf32>, tensor<528xf32>, tensor<528xf32>, tensor<552xf32>, tensor<552xf32>, tensor<552xf32>, tensor<576xf32>, tensor<576xf32>, tensor<576xf32>, tensor<600xf32>, tensor<600xf32>, tensor<600xf32>, tensor<624xf32>, tensor<624xf32>, tensor<624xf32>, tensor<648xf32>, tensor<648xf32>, tensor<648xf32>, tensor<672xf32>, tensor<672xf32>, tensor<672xf32>, tensor<688xf32>, tensor<688xf32>, tensor<688xf32>, tensor<712xf32>, tensor<712xf32>, tensor<712xf32>, tensor<736xf32>, tensor<736xf32>, tensor<736xf32>, tensor<760xf32>, tensor<760xf32>, tensor<760xf32>, tensor<784xf32>, tensor<784xf32>, tensor<784xf32>, tensor<808xf32>, tensor<808xf32>, tensor<808xf32>, tensor<832xf32>, tensor<832xf32>, tensor<832xf32>, tensor<856xf32>, tensor<856xf32>, tensor<856xf32>, tensor<880xf32>, tensor<880xf32>, tensor<880xf32>, tensor<904xf32>, tensor<904xf32>, tensor<904xf32>, tensor<928xf32>, tensor<928xf32>, tensor<928xf32>, tensor<952xf32>, tensor<952xf32>, tensor<952xf32>, tensor<976xf32>, tensor<976xf32>, tensor<976xf32>, tensor<992xf32>, tensor<992xf32>, tensor<992xf32>, tensor<1016xf32>, tensor<1016xf32>, tensor<1016xf32>, tensor<1040xf32>, tensor<1040xf32>, tensor<1040xf32>, tensor<1064xf32>, tensor<1064xf32>, tensor<1064xf32>, tensor<1088xf32>, tensor<1088xf32>, tensor<1088xf32>, tensor<1112xf32>, tensor<1112xf32>, tensor<1112xf32>, tensor<1136xf32>, tensor<1136xf32>, tensor<1136xf32>, tensor<1160xf32>, tensor<1160xf32>, tensor<1160xf32>, tensor<1184xf32>, tensor<1184xf32>, tensor<1184xf32>, tensor<1208xf32>, tensor<1208xf32>, tensor<1208xf32>, tensor<1232xf32>, tensor<1232xf32>, tensor<1232xf32>, tensor<1256xf32>, tensor<1256xf32>, tensor<1256xf32>, tensor<1280xf32>, tensor<1280xf32>, tensor<1280xf32>, tensor<65xf32>, tensor<65xf32>, tensor<65xf32>, tensor<127xf32>, tensor<127xf32>, tensor<127xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<1001xf32>, tensor<1001xf32>, tensor<1001xf32>, tensor<1280xf32>, tensor<1280xf32>, tensor<1280xf32>) {
    %n0:3 = call @update_64(%p0, %g0, %m0, %v0, %rate) : (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
    %n1:3 = call @update_80(%p1, %g1, %m1, %v1, %rate) : (tensor<80xf32>, tensor<80xf32>, tensor<80xf32>, tensor<80xf32>, tensor<f32>) -> (tensor<80xf32>, tensor<80xf32>, tensor<80xf32>)
    %n2:3 = call @update_104(%p2, %g2, %m2, %v2, %rate) : (tensor<104xf32>, tensor<104xf32>, tensor<104xf32>, tensor<104xf32>, tensor<f32>) -> (tensor<104xf32>, tensor<104xf32>, tensor<104xf32>)
    %n3:3 = call @update_128(%p3, %g3, %m3, %v3, %rate) : (tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<f32>) -> (tensor<128xf32>, tensor<128xf32>, tensor<128xf32>)
    %n4:3 = call @update_152(%p4, %g4, %m4, %v4, %rate) : (tensor<152xf32>, tensor<152xf32>, tensor<152xf32>, tensor<152xf32>, tensor<f32>) -> (tensor<152xf32>, tensor<152xf32>, tensor<152xf32>)
    %n5:3 = call @update_176(%p5, %g5, %m5, %v5, %rate) : (tensor<176xf32>, tensor<176xf32>, tensor<176xf32>, tensor<176xf32>, tensor<f32>) -> (tensor<176xf32>, tensor<176xf32>, tensor<176xf32>)
    %n6:3 = call @update_200(%p6, %g6, %m6, %v6, %rate) : (tensor<200xf32>, tensor<200xf32>, tensor<200xf32>, tensor<200xf32>, tensor<f32>) -> (tensor<200xf32>, tensor<200xf32>, tensor<200xf32>)
    %n7:3 = call @update_224(%p7, %g7, %m7, %v7, %rate) : (tensor<224xf32>, tensor<224xf32>, tensor<224xf32>, tensor<224xf32>, tensor<f32>) -> (tensor<224xf32>, tensor<224xf32>, tensor<224xf32>)
    %n8:3 = call @update_248(%p8, %g8, %m8, %v8, %rate) : (tensor<248xf32>, tensor<248xf32>, tensor<248xf32>, tensor<248xf32>, tensor<f32>) -> (tensor<248xf32>, tensor<248xf32>, tensor<248xf32>)
    %n9:3 = call @update_272(%p9, %g9, %m9, %v9, %rate) : (tensor<272xf32>, tensor<272xf32>, tensor<272xf32>, tensor<272xf32>, tensor<f32>) -> (tensor<272xf32>, tensor<272xf32>, tensor<272xf32>)
    %n10:3 = call @update_296(%p10, %g10, %m10, %v10, %rate) : (tensor<296xf32>, tensor<296xf32>, tensor<296xf32>, tensor<296xf32>, tensor<f32>) -> (tensor<296xf32>, tensor<296xf32>, tensor<296xf32>)
    %n11:3 = call @update_320(%p11, %g11, %m11, %v11, %rate) : (tensor<320xf32>, tensor<320xf32>, tensor<320xf32>, tensor<320xf32>, tensor<f32>) -> (tensor<320xf32>, tensor<320xf32>, tensor<320xf32>)
    %n12:3 = call @update_344(%p12, %g12, %m12, %v12, %rate) : (tensor<344xf32>, tensor<344xf32>, tensor<344xf32>, tensor<344xf32>, tensor<f32>) -> (tensor<344xf32>, tensor<344xf32>, tensor<344xf32>)
    %n13:3 = call @update_368(%p13, %g13, %m13, %v13, %rate) : (tensor<368xf32>, tensor<368xf32>, tensor<368xf32>, tensor<368xf32>, tensor<f32>) -> (tensor<368xf32>, tensor<368xf32>, tensor<368xf32>)
    %n14:3 = call @update_384(%p14, %g14, %m14, %v14, %rate) : (tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<f32>) -> (tensor<384xf32>, tensor<384xf32>, tensor<384xf32>)
    %n15:3 = call @update_408(%p15, %g15, %m15, %v15, %rate) : (tensor<408xf32>, tensor<408xf32>, tensor<408xf32>, tensor<408xf32>, tensor<f32>) -> (tensor<408xf32>, tensor<408xf32>, tensor<408xf32>)
    %n16:3 = call @update_432(%p16, %g16, %m16, %v16, %rate) : (tensor<432xf32>, tensor<432xf32>, tensor<432xf32>, tensor<432xf32>, tensor<f32>) -> (tensor<432xf32>, tensor<432xf32>, tensor<432xf32>)
    %n17:3 = call @update_456(%p17, %g17, %m17, %v17, %rate) : (tensor<456xf32>, tensor<456xf32>, tensor<456xf32>, tensor<456xf32>, tensor<f32>) -> (tensor<456xf32>, tensor<456xf32>, tensor<456xf32>)
    %n18:3 = call @update_480(%p18, %g18, %m18, %v18, %rate) : (tensor<480xf32>, tensor<480xf32>, tensor<480xf32>, tensor<480xf32>, tensor<f32>) -> (tensor<480xf32>, tensor<480xf32>, tensor<480xf32>)
    %n19:3 = call @update_504(%p19, %g19, %m19, %v19, %rate) : (tensor<504xf32>, tensor<504xf32>, tensor<504xf32>, tensor<504xf32>, tensor<f32>) -> (tensor<504xf32>, tensor<504xf32>, tensor<504xf32>)
    %n20:3 = call @update_528(%p20, %g20, %m20, %v20, %rate) : (tensor<528xf32>, tensor<528xf32>, tensor<528xf32>, tensor<528xf32>, tensor<f32>) -> (tensor<528xf32>, tensor<528xf32>, tensor<528xf32>)
    %n21:3 = call @update_552(%p21, %g21, %m21, %v21, %rate) : (tensor<552xf32>, tensor<552xf32>, tensor<552xf32>, tensor<552xf32>, tensor<f32>) -> (tensor<552xf32>, tensor<552xf32>, tensor<552xf32>)
    %n22:3 = call @update_576(%p22, %g22, %m22, %v22, %rate) : (tensor<576xf32>, tensor<576xf32>, tensor<576xf32>, tensor<576xf32>, tensor<f32>) -> (tensor<576xf32>, tensor<576xf32>, tensor<576xf32>)
    %n23:3 = call @update_600(%p23, %g23, %m23, %v23, %rate) : (tensor<600xf32>, tensor<600xf32>, tensor<600xf32>, tensor<600xf32>, tensor<f32>) -> (tensor<600xf32>, tensor<600xf32>, tensor<600xf32>)
    %n24:3 = call @update_624(%p24, %g24, %m24, %v24, %rate) : (tensor<624xf32>, tensor<624xf32>, tensor<624xf32>, tensor<624xf32>, tensor<f32>) -> (tensor<624xf32>, tensor<624xf32>, tensor<624xf32>)
    %n25:3 = call @update_648(%p25, %g25, %m25, %v25, %rate) : (tensor<648xf32>, tensor<648xf32>, tensor<648xf32>, tensor<648xf32>, tensor<f32>) -> (tensor<648xf32>, tensor<648xf32>, tensor<648xf32>)
    %n26:3 = call @update_672(%p26, %g26, %m26, %v26, %rate) : (tensor<672xf32>, tensor<672xf32>, tensor<672xf32>, tensor<672xf32>, tensor<f32>) -> (tensor<672xf32>, tensor<672xf32>, tensor<672xf32>)
    %n27:3 = call @update_688(%p27, %g27, %m27, %v27, %rate) : (tensor<688xf32>, tensor<688xf32>, tensor<688xf32>, tensor<688xf32>, tensor<f32>) -> (tensor<688xf32>, tensor<688xf32>, tensor<688xf32>)
    %n28:3 = call @update_712(%p28, %g28, %m28, %v28, %rate) : (tensor<712xf32>, tensor<712xf32>, tensor<712xf32>, tensor<712xf32>, tensor<f32>) -> (tensor<712xf32>, tensor<712xf32>, tensor<712xf32>)
    %n29:3 = call @update_736(%p29, %g29, %m29, %v29, %rate) : (tensor<736xf32>, tensor<736xf32>, tensor<736xf32>, tensor<736xf32>, tensor<f32>) -> (tensor<736xf32>, tensor<736xf32>, tensor<736xf32>)
    %n30:3 = call @update_760(%p30, %g30, %m30, %v30, %rate) : (tensor<760xf32>, tensor<760xf32>, tensor<760xf32>, tensor<760xf32>, tensor<f32>) -> (tensor<760xf32>, tensor<760xf32>, tensor<760xf32>)
    %n31:3 = call @update_784(%p31, %g31, %m31, %v31, %rate) : (tensor<784xf32>, tensor<784xf32>, tensor<784xf32>, tensor<784xf32>, tensor<f32>) -> (tensor<784xf32>, tensor<784xf32>, tensor<784xf32>)
    %n32:3 = call @update_808(%p32, %g32, %m32, %v32, %rate) : (tensor<808xf32>, tensor<808xf32>, tensor<808xf32>, tensor<808xf32>, tensor<f32>) -> (tensor<808xf32>, tensor<808xf32>, tensor<808xf32>)
    %n33:3 = call @update_832(%p33, %g33, %m33, %v33, %rate) : (tensor<832xf32>, tensor<832xf32>, tensor<832xf32>, tensor<832xf32>, tensor<f32>) -> (tensor<832xf32>, tensor<832xf32>, tensor<832xf32>)
    %n34:3 = call @update_856(%p34, %g34, %m34, %v34, %rate) : (tensor<856xf32>, tensor<856xf32>, tensor<856xf32>, tensor<856xf32>, tensor<f32>) -> (tensor<856xf32>, tensor<856xf32>, tensor<856xf32>)
    %n35:3 = call @update_880(%p35, %g35, %m35, %v35, %rate) : (tensor<880xf32>, tensor<880xf32>, tensor<880xf32>, tensor<880xf32>, tensor<f32>) -> (tensor<880xf32>, tensor<880xf32>, tensor<880xf32>)
    %n36:3 = call @update_904(%p36, %g36, %m36, %v36, %rate) : (tensor<904xf32>, tensor<904xf32>, tensor<904xf32>, tensor<904xf32>, tensor<f32>) -> (tensor<904xf32>, tensor<904xf32>, tensor<904xf32>)
    %n37:3 = call @update_928(%p37, %g37, %m37, %v37, %rate) : (tensor<928xf32>, tensor<928xf32>, tensor<928xf32>, tensor<928xf32>, tensor<f32>) -> (tensor<928xf32>, tensor<928xf32>, tensor<928xf32>)
    %n38:3 = call @update_952(%p38, %g38, %m38, %v38, %rate) : (tensor<952xf32>, tensor<952xf32>, tensor<952xf32>, tensor<952xf32>, tensor<f32>) -> (tensor<952xf32>, tensor<952xf32>, tensor<952xf32>)
    %n39:3 = call @update_976(%p39, %g39, %m39, %v39, %rate) : (tensor<976xf32>, tensor<976xf32>, tensor<976xf32>, tensor<976xf32>, tensor<f32>) -> (tensor<976xf32>, tensor<976xf32>, tensor<976xf32>)
    %n40:3 = call @update_992(%p40, %g40, %m40, %v40, %rate) : (tensor<992xf32>, tensor<992xf32>, tensor<992xf32>, tensor<992xf32>, tensor<f32>) -> (tensor<992xf32>, tensor<992xf32>, tensor<992xf32>)
    %n41:3 = call @update_1016(%p41, %g41, %m41, %v41, %rate) : (tensor<1016xf32>, tensor<1016xf32>, tensor<1016xf32>, tensor<1016xf32>, tensor<f32>) -> (tensor<1016xf32>, tensor<1016xf32>, tensor<1016xf32>)
    %n42:3 = call @update_1040(%p42, %g42, %m42, %v42, %rate) : (tensor<1040xf32>, tensor<1040xf32>, tensor<1040xf32>, tensor<1040xf32>, tensor<f32>) -> (tensor<1040xf32>, tensor<1040xf32>, tensor<1040xf32>)
    %n43:3 = call @update_1064(%p43, %g43, %m43, %v43, %rate) : (tensor<1064xf32>, tensor<1064xf32>, tensor<1064xf32>, tensor<1064xf32>, tensor<f32>) -> (tensor<1064xf32>, tensor<1064xf32>, tensor<1064xf32>)
    %n44:3 = call @update_1088(%p44, %g44, %m44, %v44, %rate) : (tensor<1088xf32>, tensor<1088xf32>, tensor<1088xf32>, tensor<1088xf32>, tensor<f32>) -> (tensor<1088xf32>, tensor<1088xf32>, tensor<1088xf32>)
    %n45:3 = call @update_1112(%p45, %g45, %m45, %v45, %rate) : (tensor<1112xf32>, tensor<1112xf32>, tensor<1112xf32>, tensor<1112xf32>, tensor<f32>) -> (tensor<1112xf32>, tensor<1112xf32>, tensor<1112xf32>)
    %n46:3 = call @update_1136(%p46, %g46, %m46, %v46, %rate) : (tensor<1136xf32>, tensor<1136xf32>, tensor<1136xf32>, tensor<1136xf32>, tensor<f32>) -> (tensor<1136xf32>, tensor<1136xf32>, tensor<1136xf32>)
    %n47:3 = call @update_1160(%p47, %g47, %m47, %v47, %rate) : (tensor<1160xf32>, tensor<1160xf32>, tensor<1160xf32>, tensor<1160xf32>, tensor<f32>) -> (tensor<1160xf32>, tensor<1160xf32>, tensor<1160xf32>)
    %n48:3 = call @update_1184(%p48, %g48, %m48, %v48, %rate) : (tensor<1184xf32>, tensor<1184xf32>, tensor<1184xf32>, tensor<1184xf32>, tensor<f32>) -> (tensor<1184xf32>, tensor<1184xf32>, tensor<1184xf32>)
    %n49:3 = call @update_1208(%p49, %g49, %m49, %v49, %rate) : (tensor<1208xf32>, tensor<1208xf32>, tensor<1208xf32>, tensor<1208xf32>, tensor<f32>) -> (tensor<1208xf32>, tensor<1208xf32>, tensor<1208xf32>)
    %n50:3 = call @update_1232(%p50, %g50, %m50, %v50, %rate) : (tensor<1232xf32>, tensor<1232xf32>, tensor<1232xf32>, tensor<1232xf32>, tensor<f32>) -> (tensor<1232xf32>, tensor<1232xf32>, tensor<1232xf32>)
    %n51:3 = call @update_1256(%p51, %g51, %m51, %v51, %rate) : (tensor<1256xf32>, tensor<1256xf32>, tensor<1256xf32>, tensor<1256xf32>, tensor<f32>) -> (tensor<1256xf32>, tensor<1256xf32>, tensor<1256xf32>)
    %n52:3 = call @update_1280(%p52, %g52, %m52, %v52, %rate) : (tensor<1280xf32>, tensor<1280xf32>, tensor<1280xf32>, tensor<1280xf32>, tensor<f32>) -> (tensor<1280xf32>, tensor<1280xf32>, tensor<1280xf32>)
    %n53:3 = call @update_65(%p53, %g53, %m53, %v53, %rate) : (tensor<65xf32>, tensor<65xf32>, tensor<65xf32>, tensor<65xf32>, tensor<f32>) -> (tensor<65xf32>, tensor<65xf32>, tensor<65xf32>)
    %n54:3 = call @update_127(%p54, %g54, %m54, %v54, %rate) : (tensor<127xf32>, tensor<127xf32>, tensor<127xf32>, tensor<127xf32>, tensor<f32>) -> (tensor<127xf32>, tensor<127xf32>, tensor<127xf32>)
    %n55:3 = call @update_128(%p55, %g55, %m55, %v55, %rate) : (tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<f32>) -> (tensor<128xf32>, tensor<128xf32>, tensor<128xf32>)
    %n56:3 = call @update_256(%p56, %g56, %m56, %v56, %rate) : (tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<f32>) -> (tensor<256xf32>, tensor<256xf32>, tensor<256xf32>)
    %n57:3 = call @update_512(%p57, %g57, %m57, %v57, %rate) : (tensor<512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<f32>) -> (tensor<512xf32>, tensor<512xf32>, tensor<512xf32>)
    %n58:3 = call @update_1001(%p58, %g58, %m58, %v58, %rate) : (tensor<1001xf32>, tensor<1001xf32>, tensor<1001xf32>, tensor<1001xf32>, tensor<f32>) -> (tensor<1001xf32>, tensor<1001xf32>, tensor<1001xf32>)
    %n59:3 = call @update_1280(%p59, %g59, %m59, %v59, %rate) : (tensor<1280xf32>, tensor<1280xf32>, tensor<1280xf32>, tensor<1280xf32>, tensor<f32>) -> (tensor<1280xf32>, tensor<1280xf32>, tensor<1280xf32>)
    return %n0#0, %n0#1, %n0#2, %n1#0, %n1#1, %n1#2, %n2#0, %n2#1, %n2#2, %n3#0, %n3#1, %n3#2, %n4#0, %n4#1, %n4#2, %n5#0, %n5#1, %n5#2, %n6#0, %n6#1, %n6#2, %n7#0, %n7#1, %n7#2, %n8#0, %n8#1, %n8#2, %n9#0, %n9#1, %n9#2, %n10#0, %n10#1, %n10#2, %n11#0, %n11#1, %n11#2, %n12#0, %n12#1, %n12#2, %n13#0, %n13#1, %n13#2, %n14#0, %n14#1, %n14#2, %n15#0, %n15#1, %n15#2, %n16#0, %n16#1, %n16#2, %n17#0, %n17#1, %n17#2, %n18#0, %n18#1, %n18#2, %n19#0, %n19#1, %n19#2, %n20#0, %n20#1, %n20#2, %n21#0, %n21#1, %n21#2, %n22#0, %n22#1, %n22#2, %n23#0, %n23#1, %n23#2, %n24#0, %n24#1, %n24#2, %n25#0, %n25#1, %n25#2, %n26#0, %n26#1, %n26#2, %n27#0, %n27#1, %n27#2, %n28#0, %n28#1, %n28#2, %n29#0, %n29#1, %n29#2, %n30#0, %n30#1, %n30#2, %n31#0, %n31#1, %n31#2, %n32#0, %n32#1, %n32#2, %n33#0, %n33#1, %n33#2, %n34#0, %n34#1, %n34#2, %n35#0, %n35#1, %n35#2, %n36#0, %n36#1, %n36#2, %n37#0, %n37#1, %n37#2, %n38#0, %n38#1, %n38#2, %n39#0, %n39#1, %n39#2, %n40#0, %n40#1, %n40#2, %n41#0, %n41#1, %n41#2, %n42#0, %n42#1, %n42#2, %n43#0, %n43#1, %n43#2, %n44#0, %n44#1, %n44#2, %n45#0, %n45#1, %n45#2, %n46#0, %n46#1, %n46#2, %n47#0, %n47#1, %n47#2, %n48#0, %n48#1, %n48#2, %n49#0, %n49#1, %n49#2, %n50#0, %n50#1, %n50#2, %n51#0, %n51#1, %n51#2, %n52#0, %n52#1, %n52#2, %n53#0, %n53#1, %n53#2, %n54#0, %n54#1, %n54#2, %n55#0, %n55#1, %n55#2, %n56#0, %n56#1, %n56#2, %n57#0, %n57#1, %n57#2, %n58#0, %n58#1, %n58#2, %n59#0, %n59#1, %n59#2 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<80xf32>, tensor<80xf32>, tensor<80xf32>, tensor<104xf32>, tensor<104xf32>, tensor<104xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<152xf32>, tensor<152xf32>, tensor<152xf32>, tensor<176xf32>, tensor<176xf32>, tensor<176xf32>, tensor<200xf32>, tensor<200xf32>, tensor<200xf32>, tensor<224xf32>, tensor<224xf32>, tensor<224xf32>, tensor<248xf32>, tensor<248xf32>, tensor<248xf32>, tensor<272xf32>, tensor<272xf32>, tensor<272xf32>, tensor<296xf32>, tensor<296xf32>, tensor<296xf32>, tensor<320xf32>, tensor<320xf32>, tensor<320xf32>, tensor<344xf32>, tensor<344xf32>, tensor<344xf32>, tensor<368xf32>, tensor<368xf32>, tensor<368xf32>, tensor<384xf32>, tensor<384xf32>, tensor<384xf32>, tensor<408xf32>, tensor<408xf32>, tensor<408xf32>, tensor<432xf32>, tensor<432xf32>, tensor<432xf32>, tensor<456xf32>, tensor<456xf32>, tensor<456xf32>, tensor<480xf32>, tensor<480xf32>, tensor<480xf32>, tensor<504xf32>, tensor<504xf32>, tensor<504xf32>, tensor<528xf32>, tensor<528xf32>, tensor<528xf32>, tensor<552xf32>, tensor<552xf32>, tensor<552xf32>, tensor<576xf32>, tensor<576xf32>, tensor<576xf32>, tensor<600xf32>, tensor<600xf32>, tensor<600xf32>, tensor<624xf32>, tensor<624xf32>, tensor<624xf32>, tensor<648xf32>, tensor<648xf32>, tensor<648xf32>, tensor<672xf32>, tensor<672xf32>, tensor<672xf32>, tensor<688xf32>, tensor<688xf32>, tensor<688xf32>, tensor<712xf32>, tensor<712xf32>, tensor<712xf32>, tensor<736xf32>, tensor<736xf32>, tensor<736xf32>, tensor<760xf32>, tensor<760xf32>, tensor<760xf32>, tensor<784xf32>, tensor<784xf32>, tensor<784xf32>, tensor<808xf32>, tensor<808xf32>, tensor<808xf32>, tensor<832xf32>, tensor<832xf32>, tensor<832xf32>, tensor<856xf32>, tensor<856xf32>, tensor<856xf32>, tensor<880xf32>, tensor<880xf32>, tensor<880xf32>, tensor<904xf32>, tensor<904xf32>, tensor<904xf32>, tensor<928xf32>, tensor<928xf32>, tensor<928xf32>, tensor<952xf32>, tensor<952xf32>, tensor<952xf32>, tensor<976xf32>, tensor<976xf32>, tensor<976xf32>, tensor<992xf32>, tensor<992xf32>, tensor<992xf32>, tensor<1016xf32>, tensor<1016xf32>, tensor<1016xf32>, tensor<1040xf32>, tensor<1040xf32>, tensor<1040xf32>, tensor<1064xf32>, tensor<1064xf32>, tensor<1064xf32>, tensor<1088xf32>, tensor<1088xf32>, tensor<1088xf32>, tensor<1112xf32>, tensor<1112xf32>, tensor<1112xf32>, tensor<1136xf32>, tensor<1136xf32>, tensor<1136xf32>, tensor<1160xf32>, tensor<1160xf32>, tensor<1160xf32>, tensor<1184xf32>, tensor<1184xf32>, tensor<1184xf32>, tensor<1208xf32>, tensor<1208xf32>, tensor<1208xf32>, tensor<1232xf32>, tensor<1232xf32>, tensor<1232xf32>, tensor<1256xf32>, tensor<1256xf32>, tensor<1256xf32>, tensor<1280xf32>, tensor<1280xf32>, tensor<1280xf32>, tensor<65xf32>, tensor<65xf32>, tensor<65xf32>, tensor<127xf32>, tensor<127xf32>, tensor<127xf32>, tensor<128xf32>, tensor<128xf32>, tensor<128xf32>, tensor<256xf32>, tensor<256xf32>, tensor<256xf32>, tensor<512xf32>, tensor<512xf32>, tensor<512xf32>, tensor<1001xf32>, tensor<1001xf32>, tensor<1001xf32>, tensor<1280xf32>, tensor<1280xf32>, tensor<1280xf32>
  }
  func.func private @update_64(%p: tensor<64xf32>, %g: tensor<64xf32>, %m: tensor<64xf32>, %v: tensor<64xf32>, %rate: tensor<f32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<64xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<64xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<64xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<64xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<64xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<64xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<64xf32>
    %first = stablehlo.add %0, %1 : tensor<64xf32>
    %2 = stablehlo.multiply %g, %g : tensor<64xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<64xf32>
    %4 = stablehlo.multiply %v, %v : tensor<64xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<64xf32>
    %second = stablehlo.add %5, %3 : tensor<64xf32>
    %6 = stablehlo.sqrt %second : tensor<64xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<64xf32>
    %8 = stablehlo.divide %first, %7 : tensor<64xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<64xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<64xf32>
    %new = stablehlo.subtract %p, %10 : tensor<64xf32>
    return %new, %first, %6 : tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
  }
  func.func private @update_65(%p: tensor<65xf32>, %g: tensor<65xf32>, %m: tensor<65xf32>, %v: tensor<65xf32>, %rate: tensor<f32>) -> (tensor<65xf32>, tensor<65xf32>, tensor<65xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<65xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<65xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<65xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<65xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<65xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<65xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<65xf32>
    %first = stablehlo.add %0, %1 : tensor<65xf32>
    %2 = stablehlo.multiply %g, %g : tensor<65xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<65xf32>
    %4 = stablehlo.multiply %v, %v : tensor<65xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<65xf32>
    %second = stablehlo.add %5, %3 : tensor<65xf32>
    %6 = stablehlo.sqrt %second : tensor<65xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<65xf32>
    %8 = stablehlo.divide %first, %7 : tensor<65xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<65xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<65xf32>
    %new = stablehlo.subtract %p, %10 : tensor<65xf32>
    return %new, %first, %6 : tensor<65xf32>, tensor<65xf32>, tensor<65xf32>
  }
  func.func private @update_80(%p: tensor<80xf32>, %g: tensor<80xf32>, %m: tensor<80xf32>, %v: tensor<80xf32>, %rate: tensor<f32>) -> (tensor<80xf32>, tensor<80xf32>, tensor<80xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<80xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<80xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<80xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<80xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<80xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<80xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<80xf32>
    %first = stablehlo.add %0, %1 : tensor<80xf32>
    %2 = stablehlo.multiply %g, %g : tensor<80xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<80xf32>
    %4 = stablehlo.multiply %v, %v : tensor<80xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<80xf32>
    %second = stablehlo.add %5, %3 : tensor<80xf32>
    %6 = stablehlo.sqrt %second : tensor<80xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<80xf32>
    %8 = stablehlo.divide %first, %7 : tensor<80xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<80xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<80xf32>
    %new = stablehlo.subtract %p, %10 : tensor<80xf32>
    return %new, %first, %6 : tensor<80xf32>, tensor<80xf32>, tensor<80xf32>
  }
  func.func private @update_104(%p: tensor<104xf32>, %g: tensor<104xf32>, %m: tensor<104xf32>, %v: tensor<104xf32>, %rate: tensor<f32>) -> (tensor<104xf32>, tensor<104xf32>, tensor<104xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<104xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<104xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<104xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<104xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<104xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<104xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<104xf32>
    %first = stablehlo.add %0, %1 : tensor<104xf32>
    %2 = stablehlo.multiply %g, %g : tensor<104xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<104xf32>
    %4 = stablehlo.multiply %v, %v : tensor<104xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<104xf32>
    %second = stablehlo.add %5, %3 : tensor<104xf32>
    %6 = stablehlo.sqrt %second : tensor<104xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<104xf32>
    %8 = stablehlo.divide %first, %7 : tensor<104xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<104xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<104xf32>
    %new = stablehlo.subtract %p, %10 : tensor<104xf32>
    return %new, %first, %6 : tensor<104xf32>, tensor<104xf32>, tensor<104xf32>
  }
  func.func private @update_127(%p: tensor<127xf32>, %g: tensor<127xf32>, %m: tensor<127xf32>, %v: tensor<127xf32>, %rate: tensor<f32>) -> (tensor<127xf32>, tensor<127xf32>, tensor<127xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<127xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<127xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<127xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<127xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<127xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<127xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<127xf32>
    %first = stablehlo.add %0, %1 : tensor<127xf32>
    %2 = stablehlo.multiply %g, %g : tensor<127xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<127xf32>
    %4 = stablehlo.multiply %v, %v : tensor<127xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<127xf32>
    %second = stablehlo.add %5, %3 : tensor<127xf32>
    %6 = stablehlo.sqrt %second : tensor<127xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<127xf32>
    %8 = stablehlo.divide %first, %7 : tensor<127xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<127xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<127xf32>
    %new = stablehlo.subtract %p, %10 : tensor<127xf32>
    return %new, %first, %6 : tensor<127xf32>, tensor<127xf32>, tensor<127xf32>
  }
  func.func private @update_128(%p: tensor<128xf32>, %g: tensor<128xf32>, %m: tensor<128xf32>, %v: tensor<128xf32>, %rate: tensor<f32>) -> (tensor<128xf32>, tensor<128xf32>, tensor<128xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<128xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<128xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<128xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<128xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<128xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<128xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<128xf32>
    %first = stablehlo.add %0, %1 : tensor<128xf32>
    %2 = stablehlo.multiply %g, %g : tensor<128xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<128xf32>
    %4 = stablehlo.multiply %v, %v : tensor<128xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<128xf32>
    %second = stablehlo.add %5, %3 : tensor<128xf32>
    %6 = stablehlo.sqrt %second : tensor<128xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<128xf32>
    %8 = stablehlo.divide %first, %7 : tensor<128xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<128xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<128xf32>
    %new = stablehlo.subtract %p, %10 : tensor<128xf32>
    return %new, %first, %6 : tensor<128xf32>, tensor<128xf32>, tensor<128xf32>
  }
  func.func private @update_152(%p: tensor<152xf32>, %g: tensor<152xf32>, %m: tensor<152xf32>, %v: tensor<152xf32>, %rate: tensor<f32>) -> (tensor<152xf32>, tensor<152xf32>, tensor<152xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<152xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<152xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<152xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<152xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<152xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<152xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<152xf32>
    %first = stablehlo.add %0, %1 : tensor<152xf32>
    %2 = stablehlo.multiply %g, %g : tensor<152xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<152xf32>
    %4 = stablehlo.multiply %v, %v : tensor<152xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<152xf32>
    %second = stablehlo.add %5, %3 : tensor<152xf32>
    %6 = stablehlo.sqrt %second : tensor<152xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<152xf32>
    %8 = stablehlo.divide %first, %7 : tensor<152xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<152xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<152xf32>
    %new = stablehlo.subtract %p, %10 : tensor<152xf32>
    return %new, %first, %6 : tensor<152xf32>, tensor<152xf32>, tensor<152xf32>
  }
  func.func private @update_176(%p: tensor<176xf32>, %g: tensor<176xf32>, %m: tensor<176xf32>, %v: tensor<176xf32>, %rate: tensor<f32>) -> (tensor<176xf32>, tensor<176xf32>, tensor<176xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<176xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<176xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<176xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<176xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<176xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<176xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<176xf32>
    %first = stablehlo.add %0, %1 : tensor<176xf32>
    %2 = stablehlo.multiply %g, %g : tensor<176xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<176xf32>
    %4 = stablehlo.multiply %v, %v : tensor<176xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<176xf32>
    %second = stablehlo.add %5, %3 : tensor<176xf32>
    %6 = stablehlo.sqrt %second : tensor<176xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<176xf32>
    %8 = stablehlo.divide %first, %7 : tensor<176xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<176xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<176xf32>
    %new = stablehlo.subtract %p, %10 : tensor<176xf32>
    return %new, %first, %6 : tensor<176xf32>, tensor<176xf32>, tensor<176xf32>
  }
  func.func private @update_200(%p: tensor<200xf32>, %g: tensor<200xf32>, %m: tensor<200xf32>, %v: tensor<200xf32>, %rate: tensor<f32>) -> (tensor<200xf32>, tensor<200xf32>, tensor<200xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<200xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<200xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<200xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<200xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<200xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<200xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<200xf32>
    %first = stablehlo.add %0, %1 : tensor<200xf32>
    %2 = stablehlo.multiply %g, %g : tensor<200xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<200xf32>
    %4 = stablehlo.multiply %v, %v : tensor<200xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<200xf32>
    %second = stablehlo.add %5, %3 : tensor<200xf32>
    %6 = stablehlo.sqrt %second : tensor<200xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<200xf32>
    %8 = stablehlo.divide %first, %7 : tensor<200xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<200xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<200xf32>
    %new = stablehlo.subtract %p, %10 : tensor<200xf32>
    return %new, %first, %6 : tensor<200xf32>, tensor<200xf32>, tensor<200xf32>
  }
  func.func private @update_224(%p: tensor<224xf32>, %g: tensor<224xf32>, %m: tensor<224xf32>, %v: tensor<224xf32>, %rate: tensor<f32>) -> (tensor<224xf32>, tensor<224xf32>, tensor<224xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<224xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<224xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<224xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<224xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<224xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<224xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<224xf32>
    %first = stablehlo.add %0, %1 : tensor<224xf32>
    %2 = stablehlo.multiply %g, %g : tensor<224xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<224xf32>
    %4 = stablehlo.multiply %v, %v : tensor<224xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<224xf32>
    %second = stablehlo.add %5, %3 : tensor<224xf32>
    %6 = stablehlo.sqrt %second : tensor<224xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<224xf32>
    %8 = stablehlo.divide %first, %7 : tensor<224xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<224xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<224xf32>
    %new = stablehlo.subtract %p, %10 : tensor<224xf32>
    return %new, %first, %6 : tensor<224xf32>, tensor<224xf32>, tensor<224xf32>
  }
  func.func private @update_248(%p: tensor<248xf32>, %g: tensor<248xf32>, %m: tensor<248xf32>, %v: tensor<248xf32>, %rate: tensor<f32>) -> (tensor<248xf32>, tensor<248xf32>, tensor<248xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<248xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<248xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<248xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<248xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<248xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<248xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<248xf32>
    %first = stablehlo.add %0, %1 : tensor<248xf32>
    %2 = stablehlo.multiply %g, %g : tensor<248xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<248xf32>
    %4 = stablehlo.multiply %v, %v : tensor<248xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<248xf32>
    %second = stablehlo.add %5, %3 : tensor<248xf32>
    %6 = stablehlo.sqrt %second : tensor<248xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<248xf32>
    %8 = stablehlo.divide %first, %7 : tensor<248xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<248xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<248xf32>
    %new = stablehlo.subtract %p, %10 : tensor<248xf32>
    return %new, %first, %6 : tensor<248xf32>, tensor<248xf32>, tensor<248xf32>
  }
  func.func private @update_256(%p: tensor<256xf32>, %g: tensor<256xf32>, %m: tensor<256xf32>, %v: tensor<256xf32>, %rate: tensor<f32>) -> (tensor<256xf32>, tensor<256xf32>, tensor<256xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<256xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<256xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<256xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<256xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<256xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<256xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<256xf32>
    %first = stablehlo.add %0, %1 : tensor<256xf32>
    %2 = stablehlo.multiply %g, %g : tensor<256xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<256xf32>
    %4 = stablehlo.multiply %v, %v : tensor<256xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<256xf32>
    %second = stablehlo.add %5, %3 : tensor<256xf32>
    %6 = stablehlo.sqrt %second : tensor<256xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<256xf32>
    %8 = stablehlo.divide %first, %7 : tensor<256xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<256xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<256xf32>
    %new = stablehlo.subtract %p, %10 : tensor<256xf32>
    return %new, %first, %6 : tensor<256xf32>, tensor<256xf32>, tensor<256xf32>
  }
  func.func private @update_272(%p: tensor<272xf32>, %g: tensor<272xf32>, %m: tensor<272xf32>, %v: tensor<272xf32>, %rate: tensor<f32>) -> (tensor<272xf32>, tensor<272xf32>, tensor<272xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<272xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<272xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<272xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<272xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<272xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<272xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<272xf32>
    %first = stablehlo.add %0, %1 : tensor<272xf32>
    %2 = stablehlo.multiply %g, %g : tensor<272xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<272xf32>
    %4 = stablehlo.multiply %v, %v : tensor<272xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<272xf32>
    %second = stablehlo.add %5, %3 : tensor<272xf32>
    %6 = stablehlo.sqrt %second : tensor<272xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<272xf32>
    %8 = stablehlo.divide %first, %7 : tensor<272xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<272xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<272xf32>
    %new = stablehlo.subtract %p, %10 : tensor<272xf32>
    return %new, %first, %6 : tensor<272xf32>, tensor<272xf32>, tensor<272xf32>
  }
  func.func private @update_296(%p: tensor<296xf32>, %g: tensor<296xf32>, %m: tensor<296xf32>, %v: tensor<296xf32>, %rate: tensor<f32>) -> (tensor<296xf32>, tensor<296xf32>, tensor<296xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<296xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<296xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<296xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<296xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<296xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<296xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<296xf32>
    %first = stablehlo.add %0, %1 : tensor<296xf32>
    %2 = stablehlo.multiply %g, %g : tensor<296xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<296xf32>
    %4 = stablehlo.multiply %v, %v : tensor<296xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<296xf32>
    %second = stablehlo.add %5, %3 : tensor<296xf32>
    %6 = stablehlo.sqrt %second : tensor<296xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<296xf32>
    %8 = stablehlo.divide %first, %7 : tensor<296xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<296xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<296xf32>
    %new = stablehlo.subtract %p, %10 : tensor<296xf32>
    return %new, %first, %6 : tensor<296xf32>, tensor<296xf32>, tensor<296xf32>
  }
  func.func private @update_320(%p: tensor<320xf32>, %g: tensor<320xf32>, %m: tensor<320xf32>, %v: tensor<320xf32>, %rate: tensor<f32>) -> (tensor<320xf32>, tensor<320xf32>, tensor<320xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<320xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<320xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<320xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<320xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<320xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<320xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<320xf32>
    %first = stablehlo.add %0, %1 : tensor<320xf32>
    %2 = stablehlo.multiply %g, %g : tensor<320xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<320xf32>
    %4 = stablehlo.multiply %v, %v : tensor<320xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<320xf32>
    %second = stablehlo.add %5, %3 : tensor<320xf32>
    %6 = stablehlo.sqrt %second : tensor<320xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<320xf32>
    %8 = stablehlo.divide %first, %7 : tensor<320xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<320xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<320xf32>
    %new = stablehlo.subtract %p, %10 : tensor<320xf32>
    return %new, %first, %6 : tensor<320xf32>, tensor<320xf32>, tensor<320xf32>
  }
  func.func private @update_344(%p: tensor<344xf32>, %g: tensor<344xf32>, %m: tensor<344xf32>, %v: tensor<344xf32>, %rate: tensor<f32>) -> (tensor<344xf32>, tensor<344xf32>, tensor<344xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<344xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<344xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<344xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<344xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<344xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<344xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<344xf32>
    %first = stablehlo.add %0, %1 : tensor<344xf32>
    %2 = stablehlo.multiply %g, %g : tensor<344xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<344xf32>
    %4 = stablehlo.multiply %v, %v : tensor<344xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<344xf32>
    %second = stablehlo.add %5, %3 : tensor<344xf32>
    %6 = stablehlo.sqrt %second : tensor<344xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<344xf32>
    %8 = stablehlo.divide %first, %7 : tensor<344xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<344xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<344xf32>
    %new = stablehlo.subtract %p, %10 : tensor<344xf32>
    return %new, %first, %6 : tensor<344xf32>, tensor<344xf32>, tensor<344xf32>
  }
  func.func private @update_368(%p: tensor<368xf32>, %g: tensor<368xf32>, %m: tensor<368xf32>, %v: tensor<368xf32>, %rate: tensor<f32>) -> (tensor<368xf32>, tensor<368xf32>, tensor<368xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<368xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<368xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<368xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<368xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<368xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<368xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<368xf32>
    %first = stablehlo.add %0, %1 : tensor<368xf32>
    %2 = stablehlo.multiply %g, %g : tensor<368xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<368xf32>
    %4 = stablehlo.multiply %v, %v : tensor<368xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<368xf32>
    %second = stablehlo.add %5, %3 : tensor<368xf32>
    %6 = stablehlo.sqrt %second : tensor<368xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<368xf32>
    %8 = stablehlo.divide %first, %7 : tensor<368xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<368xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<368xf32>
    %new = stablehlo.subtract %p, %10 : tensor<368xf32>
    return %new, %first, %6 : tensor<368xf32>, tensor<368xf32>, tensor<368xf32>
  }
  func.func private @update_384(%p: tensor<384xf32>, %g: tensor<384xf32>, %m: tensor<384xf32>, %v: tensor<384xf32>, %rate: tensor<f32>) -> (tensor<384xf32>, tensor<384xf32>, tensor<384xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<384xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<384xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<384xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<384xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<384xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<384xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<384xf32>
    %first = stablehlo.add %0, %1 : tensor<384xf32>
    %2 = stablehlo.multiply %g, %g : tensor<384xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<384xf32>
    %4 = stablehlo.multiply %v, %v : tensor<384xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<384xf32>
    %second = stablehlo.add %5, %3 : tensor<384xf32>
    %6 = stablehlo.sqrt %second : tensor<384xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<384xf32>
    %8 = stablehlo.divide %first, %7 : tensor<384xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<384xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<384xf32>
    %new = stablehlo.subtract %p, %10 : tensor<384xf32>
    return %new, %first, %6 : tensor<384xf32>, tensor<384xf32>, tensor<384xf32>
  }
  func.func private @update_408(%p: tensor<408xf32>, %g: tensor<408xf32>, %m: tensor<408xf32>, %v: tensor<408xf32>, %rate: tensor<f32>) -> (tensor<408xf32>, tensor<408xf32>, tensor<408xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<408xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<408xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<408xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<408xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<408xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<408xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<408xf32>
    %first = stablehlo.add %0, %1 : tensor<408xf32>
    %2 = stablehlo.multiply %g, %g : tensor<408xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<408xf32>
    %4 = stablehlo.multiply %v, %v : tensor<408xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<408xf32>
    %second = stablehlo.add %5, %3 : tensor<408xf32>
    %6 = stablehlo.sqrt %second : tensor<408xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<408xf32>
    %8 = stablehlo.divide %first, %7 : tensor<408xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<408xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<408xf32>
    %new = stablehlo.subtract %p, %10 : tensor<408xf32>
    return %new, %first, %6 : tensor<408xf32>, tensor<408xf32>, tensor<408xf32>
  }
  func.func private @update_432(%p: tensor<432xf32>, %g: tensor<432xf32>, %m: tensor<432xf32>, %v: tensor<432xf32>, %rate: tensor<f32>) -> (tensor<432xf32>, tensor<432xf32>, tensor<432xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<432xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<432xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<432xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<432xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<432xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<432xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<432xf32>
    %first = stablehlo.add %0, %1 : tensor<432xf32>
    %2 = stablehlo.multiply %g, %g : tensor<432xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<432xf32>
    %4 = stablehlo.multiply %v, %v : tensor<432xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<432xf32>
    %second = stablehlo.add %5, %3 : tensor<432xf32>
    %6 = stablehlo.sqrt %second : tensor<432xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<432xf32>
    %8 = stablehlo.divide %first, %7 : tensor<432xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<432xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<432xf32>
    %new = stablehlo.subtract %p, %10 : tensor<432xf32>
    return %new, %first, %6 : tensor<432xf32>, tensor<432xf32>, tensor<432xf32>
  }
  func.func private @update_456(%p: tensor<456xf32>, %g: tensor<456xf32>, %m: tensor<456xf32>, %v: tensor<456xf32>, %rate: tensor<f32>) -> (tensor<456xf32>, tensor<456xf32>, tensor<456xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<456xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<456xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<456xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<456xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<456xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<456xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<456xf32>
    %first = stablehlo.add %0, %1 : tensor<456xf32>
    %2 = stablehlo.multiply %g, %g : tensor<456xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<456xf32>
    %4 = stablehlo.multiply %v, %v : tensor<456xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<456xf32>
    %second = stablehlo.add %5, %3 : tensor<456xf32>
    %6 = stablehlo.sqrt %second : tensor<456xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<456xf32>
    %8 = stablehlo.divide %first, %7 : tensor<456xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<456xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<456xf32>
    %new = stablehlo.subtract %p, %10 : tensor<456xf32>
    return %new, %first, %6 : tensor<456xf32>, tensor<456xf32>, tensor<456xf32>
  }
  func.func private @update_480(%p: tensor<480xf32>, %g: tensor<480xf32>, %m: tensor<480xf32>, %v: tensor<480xf32>, %rate: tensor<f32>) -> (tensor<480xf32>, tensor<480xf32>, tensor<480xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<480xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<480xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<480xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<480xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<480xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<480xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<480xf32>
    %first = stablehlo.add %0, %1 : tensor<480xf32>
    %2 = stablehlo.multiply %g, %g : tensor<480xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<480xf32>
    %4 = stablehlo.multiply %v, %v : tensor<480xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<480xf32>
    %second = stablehlo.add %5, %3 : tensor<480xf32>
    %6 = stablehlo.sqrt %second : tensor<480xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<480xf32>
    %8 = stablehlo.divide %first, %7 : tensor<480xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<480xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<480xf32>
    %new = stablehlo.subtract %p, %10 : tensor<480xf32>
    return %new, %first, %6 : tensor<480xf32>, tensor<480xf32>, tensor<480xf32>
  }
  func.func private @update_504(%p: tensor<504xf32>, %g: tensor<504xf32>, %m: tensor<504xf32>, %v: tensor<504xf32>, %rate: tensor<f32>) -> (tensor<504xf32>, tensor<504xf32>, tensor<504xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<504xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<504xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<504xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<504xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<504xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<504xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<504xf32>
    %first = stablehlo.add %0, %1 : tensor<504xf32>
    %2 = stablehlo.multiply %g, %g : tensor<504xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<504xf32>
    %4 = stablehlo.multiply %v, %v : tensor<504xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<504xf32>
    %second = stablehlo.add %5, %3 : tensor<504xf32>
    %6 = stablehlo.sqrt %second : tensor<504xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<504xf32>
    %8 = stablehlo.divide %first, %7 : tensor<504xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<504xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<504xf32>
    %new = stablehlo.subtract %p, %10 : tensor<504xf32>
    return %new, %first, %6 : tensor<504xf32>, tensor<504xf32>, tensor<504xf32>
  }
  func.func private @update_512(%p: tensor<512xf32>, %g: tensor<512xf32>, %m: tensor<512xf32>, %v: tensor<512xf32>, %rate: tensor<f32>) -> (tensor<512xf32>, tensor<512xf32>, tensor<512xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<512xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<512xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<512xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<512xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<512xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<512xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<512xf32>
    %first = stablehlo.add %0, %1 : tensor<512xf32>
    %2 = stablehlo.multiply %g, %g : tensor<512xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<512xf32>
    %4 = stablehlo.multiply %v, %v : tensor<512xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<512xf32>
    %second = stablehlo.add %5, %3 : tensor<512xf32>
    %6 = stablehlo.sqrt %second : tensor<512xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<512xf32>
    %8 = stablehlo.divide %first, %7 : tensor<512xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<512xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<512xf32>
    %new = stablehlo.subtract %p, %10 : tensor<512xf32>
    return %new, %first, %6 : tensor<512xf32>, tensor<512xf32>, tensor<512xf32>
  }
  func.func private @update_528(%p: tensor<528xf32>, %g: tensor<528xf32>, %m: tensor<528xf32>, %v: tensor<528xf32>, %rate: tensor<f32>) -> (tensor<528xf32>, tensor<528xf32>, tensor<528xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<528xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<528xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<528xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<528xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<528xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<528xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<528xf32>
    %first = stablehlo.add %0, %1 : tensor<528xf32>
    %2 = stablehlo.multiply %g, %g : tensor<528xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<528xf32>
    %4 = stablehlo.multiply %v, %v : tensor<528xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<528xf32>
    %second = stablehlo.add %5, %3 : tensor<528xf32>
    %6 = stablehlo.sqrt %second : tensor<528xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<528xf32>
    %8 = stablehlo.divide %first, %7 : tensor<528xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<528xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<528xf32>
    %new = stablehlo.subtract %p, %10 : tensor<528xf32>
    return %new, %first, %6 : tensor<528xf32>, tensor<528xf32>, tensor<528xf32>
  }
  func.func private @update_552(%p: tensor<552xf32>, %g: tensor<552xf32>, %m: tensor<552xf32>, %v: tensor<552xf32>, %rate: tensor<f32>) -> (tensor<552xf32>, tensor<552xf32>, tensor<552xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<552xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<552xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<552xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<552xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<552xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<552xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<552xf32>
    %first = stablehlo.add %0, %1 : tensor<552xf32>
    %2 = stablehlo.multiply %g, %g : tensor<552xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<552xf32>
    %4 = stablehlo.multiply %v, %v : tensor<552xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<552xf32>
    %second = stablehlo.add %5, %3 : tensor<552xf32>
    %6 = stablehlo.sqrt %second : tensor<552xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<552xf32>
    %8 = stablehlo.divide %first, %7 : tensor<552xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<552xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<552xf32>
    %new = stablehlo.subtract %p, %10 : tensor<552xf32>
    return %new, %first, %6 : tensor<552xf32>, tensor<552xf32>, tensor<552xf32>
  }
  func.func private @update_576(%p: tensor<576xf32>, %g: tensor<576xf32>, %m: tensor<576xf32>, %v: tensor<576xf32>, %rate: tensor<f32>) -> (tensor<576xf32>, tensor<576xf32>, tensor<576xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<576xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<576xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<576xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<576xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<576xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<576xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<576xf32>
    %first = stablehlo.add %0, %1 : tensor<576xf32>
    %2 = stablehlo.multiply %g, %g : tensor<576xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<576xf32>
    %4 = stablehlo.multiply %v, %v : tensor<576xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<576xf32>
    %second = stablehlo.add %5, %3 : tensor<576xf32>
    %6 = stablehlo.sqrt %second : tensor<576xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<576xf32>
    %8 = stablehlo.divide %first, %7 : tensor<576xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<576xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<576xf32>
    %new = stablehlo.subtract %p, %10 : tensor<576xf32>
    return %new, %first, %6 : tensor<576xf32>, tensor<576xf32>, tensor<576xf32>
  }
  func.func private @update_600(%p: tensor<600xf32>, %g: tensor<600xf32>, %m: tensor<600xf32>, %v: tensor<600xf32>, %rate: tensor<f32>) -> (tensor<600xf32>, tensor<600xf32>, tensor<600xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<600xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<600xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<600xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<600xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<600xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<600xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<600xf32>
    %first = stablehlo.add %0, %1 : tensor<600xf32>
    %2 = stablehlo.multiply %g, %g : tensor<600xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<600xf32>
    %4 = stablehlo.multiply %v, %v : tensor<600xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<600xf32>
    %second = stablehlo.add %5, %3 : tensor<600xf32>
    %6 = stablehlo.sqrt %second : tensor<600xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<600xf32>
    %8 = stablehlo.divide %first, %7 : tensor<600xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<600xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<600xf32>
    %new = stablehlo.subtract %p, %10 : tensor<600xf32>
    return %new, %first, %6 : tensor<600xf32>, tensor<600xf32>, tensor<600xf32>
  }
  func.func private @update_624(%p: tensor<624xf32>, %g: tensor<624xf32>, %m: tensor<624xf32>, %v: tensor<624xf32>, %rate: tensor<f32>) -> (tensor<624xf32>, tensor<624xf32>, tensor<624xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<624xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<624xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<624xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<624xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<624xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<624xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<624xf32>
    %first = stablehlo.add %0, %1 : tensor<624xf32>
    %2 = stablehlo.multiply %g, %g : tensor<624xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<624xf32>
    %4 = stablehlo.multiply %v, %v : tensor<624xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<624xf32>
    %second = stablehlo.add %5, %3 : tensor<624xf32>
    %6 = stablehlo.sqrt %second : tensor<624xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<624xf32>
    %8 = stablehlo.divide %first, %7 : tensor<624xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<624xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<624xf32>
    %new = stablehlo.subtract %p, %10 : tensor<624xf32>
    return %new, %first, %6 : tensor<624xf32>, tensor<624xf32>, tensor<624xf32>
  }
  func.func private @update_648(%p: tensor<648xf32>, %g: tensor<648xf32>, %m: tensor<648xf32>, %v: tensor<648xf32>, %rate: tensor<f32>) -> (tensor<648xf32>, tensor<648xf32>, tensor<648xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<648xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<648xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<648xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<648xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<648xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<648xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<648xf32>
    %first = stablehlo.add %0, %1 : tensor<648xf32>
    %2 = stablehlo.multiply %g, %g : tensor<648xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<648xf32>
    %4 = stablehlo.multiply %v, %v : tensor<648xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<648xf32>
    %second = stablehlo.add %5, %3 : tensor<648xf32>
    %6 = stablehlo.sqrt %second : tensor<648xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<648xf32>
    %8 = stablehlo.divide %first, %7 : tensor<648xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<648xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<648xf32>
    %new = stablehlo.subtract %p, %10 : tensor<648xf32>
    return %new, %first, %6 : tensor<648xf32>, tensor<648xf32>, tensor<648xf32>
  }
  func.func private @update_672(%p: tensor<672xf32>, %g: tensor<672xf32>, %m: tensor<672xf32>, %v: tensor<672xf32>, %rate: tensor<f32>) -> (tensor<672xf32>, tensor<672xf32>, tensor<672xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<672xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<672xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<672xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<672xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<672xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<672xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<672xf32>
    %first = stablehlo.add %0, %1 : tensor<672xf32>
    %2 = stablehlo.multiply %g, %g : tensor<672xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<672xf32>
    %4 = stablehlo.multiply %v, %v : tensor<672xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<672xf32>
    %second = stablehlo.add %5, %3 : tensor<672xf32>
    %6 = stablehlo.sqrt %second : tensor<672xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<672xf32>
    %8 = stablehlo.divide %first, %7 : tensor<672xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<672xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<672xf32>
    %new = stablehlo.subtract %p, %10 : tensor<672xf32>
    return %new, %first, %6 : tensor<672xf32>, tensor<672xf32>, tensor<672xf32>
  }
  func.func private @update_688(%p: tensor<688xf32>, %g: tensor<688xf32>, %m: tensor<688xf32>, %v: tensor<688xf32>, %rate: tensor<f32>) -> (tensor<688xf32>, tensor<688xf32>, tensor<688xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<688xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<688xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<688xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<688xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<688xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<688xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<688xf32>
    %first = stablehlo.add %0, %1 : tensor<688xf32>
    %2 = stablehlo.multiply %g, %g : tensor<688xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<688xf32>
    %4 = stablehlo.multiply %v, %v : tensor<688xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<688xf32>
    %second = stablehlo.add %5, %3 : tensor<688xf32>
    %6 = stablehlo.sqrt %second : tensor<688xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<688xf32>
    %8 = stablehlo.divide %first, %7 : tensor<688xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<688xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<688xf32>
    %new = stablehlo.subtract %p, %10 : tensor<688xf32>
    return %new, %first, %6 : tensor<688xf32>, tensor<688xf32>, tensor<688xf32>
  }
  func.func private @update_712(%p: tensor<712xf32>, %g: tensor<712xf32>, %m: tensor<712xf32>, %v: tensor<712xf32>, %rate: tensor<f32>) -> (tensor<712xf32>, tensor<712xf32>, tensor<712xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<712xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<712xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<712xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<712xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<712xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<712xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<712xf32>
    %first = stablehlo.add %0, %1 : tensor<712xf32>
    %2 = stablehlo.multiply %g, %g : tensor<712xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<712xf32>
    %4 = stablehlo.multiply %v, %v : tensor<712xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<712xf32>
    %second = stablehlo.add %5, %3 : tensor<712xf32>
    %6 = stablehlo.sqrt %second : tensor<712xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<712xf32>
    %8 = stablehlo.divide %first, %7 : tensor<712xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<712xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<712xf32>
    %new = stablehlo.subtract %p, %10 : tensor<712xf32>
    return %new, %first, %6 : tensor<712xf32>, tensor<712xf32>, tensor<712xf32>
  }
  func.func private @update_736(%p: tensor<736xf32>, %g: tensor<736xf32>, %m: tensor<736xf32>, %v: tensor<736xf32>, %rate: tensor<f32>) -> (tensor<736xf32>, tensor<736xf32>, tensor<736xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<736xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<736xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<736xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<736xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<736xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<736xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<736xf32>
    %first = stablehlo.add %0, %1 : tensor<736xf32>
    %2 = stablehlo.multiply %g, %g : tensor<736xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<736xf32>
    %4 = stablehlo.multiply %v, %v : tensor<736xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<736xf32>
    %second = stablehlo.add %5, %3 : tensor<736xf32>
    %6 = stablehlo.sqrt %second : tensor<736xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<736xf32>
    %8 = stablehlo.divide %first, %7 : tensor<736xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<736xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<736xf32>
    %new = stablehlo.subtract %p, %10 : tensor<736xf32>
    return %new, %first, %6 : tensor<736xf32>, tensor<736xf32>, tensor<736xf32>
  }
  func.func private @update_760(%p: tensor<760xf32>, %g: tensor<760xf32>, %m: tensor<760xf32>, %v: tensor<760xf32>, %rate: tensor<f32>) -> (tensor<760xf32>, tensor<760xf32>, tensor<760xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<760xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<760xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<760xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<760xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<760xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<760xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<760xf32>
    %first = stablehlo.add %0, %1 : tensor<760xf32>
    %2 = stablehlo.multiply %g, %g : tensor<760xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<760xf32>
    %4 = stablehlo.multiply %v, %v : tensor<760xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<760xf32>
    %second = stablehlo.add %5, %3 : tensor<760xf32>
    %6 = stablehlo.sqrt %second : tensor<760xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<760xf32>
    %8 = stablehlo.divide %first, %7 : tensor<760xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<760xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<760xf32>
    %new = stablehlo.subtract %p, %10 : tensor<760xf32>
    return %new, %first, %6 : tensor<760xf32>, tensor<760xf32>, tensor<760xf32>
  }
  func.func private @update_784(%p: tensor<784xf32>, %g: tensor<784xf32>, %m: tensor<784xf32>, %v: tensor<784xf32>, %rate: tensor<f32>) -> (tensor<784xf32>, tensor<784xf32>, tensor<784xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<784xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<784xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<784xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<784xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<784xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<784xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<784xf32>
    %first = stablehlo.add %0, %1 : tensor<784xf32>
    %2 = stablehlo.multiply %g, %g : tensor<784xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<784xf32>
    %4 = stablehlo.multiply %v, %v : tensor<784xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<784xf32>
    %second = stablehlo.add %5, %3 : tensor<784xf32>
    %6 = stablehlo.sqrt %second : tensor<784xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<784xf32>
    %8 = stablehlo.divide %first, %7 : tensor<784xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<784xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<784xf32>
    %new = stablehlo.subtract %p, %10 : tensor<784xf32>
    return %new, %first, %6 : tensor<784xf32>, tensor<784xf32>, tensor<784xf32>
  }
  func.func private @update_808(%p: tensor<808xf32>, %g: tensor<808xf32>, %m: tensor<808xf32>, %v: tensor<808xf32>, %rate: tensor<f32>) -> (tensor<808xf32>, tensor<808xf32>, tensor<808xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<808xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<808xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<808xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<808xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<808xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<808xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<808xf32>
    %first = stablehlo.add %0, %1 : tensor<808xf32>
    %2 = stablehlo.multiply %g, %g : tensor<808xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<808xf32>
    %4 = stablehlo.multiply %v, %v : tensor<808xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<808xf32>
    %second = stablehlo.add %5, %3 : tensor<808xf32>
    %6 = stablehlo.sqrt %second : tensor<808xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<808xf32>
    %8 = stablehlo.divide %first, %7 : tensor<808xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<808xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<808xf32>
    %new = stablehlo.subtract %p, %10 : tensor<808xf32>
    return %new, %first, %6 : tensor<808xf32>, tensor<808xf32>, tensor<808xf32>
  }
  func.func private @update_832(%p: tensor<832xf32>, %g: tensor<832xf32>, %m: tensor<832xf32>, %v: tensor<832xf32>, %rate: tensor<f32>) -> (tensor<832xf32>, tensor<832xf32>, tensor<832xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<832xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<832xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<832xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<832xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<832xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<832xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<832xf32>
    %first = stablehlo.add %0, %1 : tensor<832xf32>
    %2 = stablehlo.multiply %g, %g : tensor<832xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<832xf32>
    %4 = stablehlo.multiply %v, %v : tensor<832xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<832xf32>
    %second = stablehlo.add %5, %3 : tensor<832xf32>
    %6 = stablehlo.sqrt %second : tensor<832xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<832xf32>
    %8 = stablehlo.divide %first, %7 : tensor<832xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<832xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<832xf32>
    %new = stablehlo.subtract %p, %10 : tensor<832xf32>
    return %new, %first, %6 : tensor<832xf32>, tensor<832xf32>, tensor<832xf32>
  }
  func.func private @update_856(%p: tensor<856xf32>, %g: tensor<856xf32>, %m: tensor<856xf32>, %v: tensor<856xf32>, %rate: tensor<f32>) -> (tensor<856xf32>, tensor<856xf32>, tensor<856xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<856xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<856xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<856xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<856xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<856xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<856xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<856xf32>
    %first = stablehlo.add %0, %1 : tensor<856xf32>
    %2 = stablehlo.multiply %g, %g : tensor<856xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<856xf32>
    %4 = stablehlo.multiply %v, %v : tensor<856xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<856xf32>
    %second = stablehlo.add %5, %3 : tensor<856xf32>
    %6 = stablehlo.sqrt %second : tensor<856xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<856xf32>
    %8 = stablehlo.divide %first, %7 : tensor<856xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<856xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<856xf32>
    %new = stablehlo.subtract %p, %10 : tensor<856xf32>
    return %new, %first, %6 : tensor<856xf32>, tensor<856xf32>, tensor<856xf32>
  }
  func.func private @update_880(%p: tensor<880xf32>, %g: tensor<880xf32>, %m: tensor<880xf32>, %v: tensor<880xf32>, %rate: tensor<f32>) -> (tensor<880xf32>, tensor<880xf32>, tensor<880xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<880xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<880xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<880xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<880xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<880xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<880xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<880xf32>
    %first = stablehlo.add %0, %1 : tensor<880xf32>
    %2 = stablehlo.multiply %g, %g : tensor<880xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<880xf32>
    %4 = stablehlo.multiply %v, %v : tensor<880xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<880xf32>
    %second = stablehlo.add %5, %3 : tensor<880xf32>
    %6 = stablehlo.sqrt %second : tensor<880xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<880xf32>
    %8 = stablehlo.divide %first, %7 : tensor<880xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<880xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<880xf32>
    %new = stablehlo.subtract %p, %10 : tensor<880xf32>
    return %new, %first, %6 : tensor<880xf32>, tensor<880xf32>, tensor<880xf32>
  }
  func.func private @update_904(%p: tensor<904xf32>, %g: tensor<904xf32>, %m: tensor<904xf32>, %v: tensor<904xf32>, %rate: tensor<f32>) -> (tensor<904xf32>, tensor<904xf32>, tensor<904xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<904xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<904xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<904xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<904xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<904xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<904xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<904xf32>
    %first = stablehlo.add %0, %1 : tensor<904xf32>
    %2 = stablehlo.multiply %g, %g : tensor<904xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<904xf32>
    %4 = stablehlo.multiply %v, %v : tensor<904xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<904xf32>
    %second = stablehlo.add %5, %3 : tensor<904xf32>
    %6 = stablehlo.sqrt %second : tensor<904xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<904xf32>
    %8 = stablehlo.divide %first, %7 : tensor<904xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<904xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<904xf32>
    %new = stablehlo.subtract %p, %10 : tensor<904xf32>
    return %new, %first, %6 : tensor<904xf32>, tensor<904xf32>, tensor<904xf32>
  }
  func.func private @update_928(%p: tensor<928xf32>, %g: tensor<928xf32>, %m: tensor<928xf32>, %v: tensor<928xf32>, %rate: tensor<f32>) -> (tensor<928xf32>, tensor<928xf32>, tensor<928xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<928xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<928xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<928xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<928xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<928xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<928xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<928xf32>
    %first = stablehlo.add %0, %1 : tensor<928xf32>
    %2 = stablehlo.multiply %g, %g : tensor<928xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<928xf32>
    %4 = stablehlo.multiply %v, %v : tensor<928xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<928xf32>
    %second = stablehlo.add %5, %3 : tensor<928xf32>
    %6 = stablehlo.sqrt %second : tensor<928xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<928xf32>
    %8 = stablehlo.divide %first, %7 : tensor<928xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<928xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<928xf32>
    %new = stablehlo.subtract %p, %10 : tensor<928xf32>
    return %new, %first, %6 : tensor<928xf32>, tensor<928xf32>, tensor<928xf32>
  }
  func.func private @update_952(%p: tensor<952xf32>, %g: tensor<952xf32>, %m: tensor<952xf32>, %v: tensor<952xf32>, %rate: tensor<f32>) -> (tensor<952xf32>, tensor<952xf32>, tensor<952xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<952xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<952xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<952xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<952xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<952xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<952xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<952xf32>
    %first = stablehlo.add %0, %1 : tensor<952xf32>
    %2 = stablehlo.multiply %g, %g : tensor<952xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<952xf32>
    %4 = stablehlo.multiply %v, %v : tensor<952xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<952xf32>
    %second = stablehlo.add %5, %3 : tensor<952xf32>
    %6 = stablehlo.sqrt %second : tensor<952xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<952xf32>
    %8 = stablehlo.divide %first, %7 : tensor<952xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<952xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<952xf32>
    %new = stablehlo.subtract %p, %10 : tensor<952xf32>
    return %new, %first, %6 : tensor<952xf32>, tensor<952xf32>, tensor<952xf32>
  }
  func.func private @update_976(%p: tensor<976xf32>, %g: tensor<976xf32>, %m: tensor<976xf32>, %v: tensor<976xf32>, %rate: tensor<f32>) -> (tensor<976xf32>, tensor<976xf32>, tensor<976xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<976xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<976xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<976xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<976xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<976xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<976xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<976xf32>
    %first = stablehlo.add %0, %1 : tensor<976xf32>
    %2 = stablehlo.multiply %g, %g : tensor<976xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<976xf32>
    %4 = stablehlo.multiply %v, %v : tensor<976xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<976xf32>
    %second = stablehlo.add %5, %3 : tensor<976xf32>
    %6 = stablehlo.sqrt %second : tensor<976xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<976xf32>
    %8 = stablehlo.divide %first, %7 : tensor<976xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<976xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<976xf32>
    %new = stablehlo.subtract %p, %10 : tensor<976xf32>
    return %new, %first, %6 : tensor<976xf32>, tensor<976xf32>, tensor<976xf32>
  }
  func.func private @update_992(%p: tensor<992xf32>, %g: tensor<992xf32>, %m: tensor<992xf32>, %v: tensor<992xf32>, %rate: tensor<f32>) -> (tensor<992xf32>, tensor<992xf32>, tensor<992xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<992xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<992xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<992xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<992xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<992xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<992xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<992xf32>
    %first = stablehlo.add %0, %1 : tensor<992xf32>
    %2 = stablehlo.multiply %g, %g : tensor<992xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<992xf32>
    %4 = stablehlo.multiply %v, %v : tensor<992xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<992xf32>
    %second = stablehlo.add %5, %3 : tensor<992xf32>
    %6 = stablehlo.sqrt %second : tensor<992xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<992xf32>
    %8 = stablehlo.divide %first, %7 : tensor<992xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<992xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<992xf32>
    %new = stablehlo.subtract %p, %10 : tensor<992xf32>
    return %new, %first, %6 : tensor<992xf32>, tensor<992xf32>, tensor<992xf32>
  }
  func.func private @update_1001(%p: tensor<1001xf32>, %g: tensor<1001xf32>, %m: tensor<1001xf32>, %v: tensor<1001xf32>, %rate: tensor<f32>) -> (tensor<1001xf32>, tensor<1001xf32>, tensor<1001xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<1001xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<1001xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<1001xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<1001xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<1001xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<1001xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<1001xf32>
    %first = stablehlo.add %0, %1 : tensor<1001xf32>
    %2 = stablehlo.multiply %g, %g : tensor<1001xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<1001xf32>
    %4 = stablehlo.multiply %v, %v : tensor<1001xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<1001xf32>
    %second = stablehlo.add %5, %3 : tensor<1001xf32>
    %6 = stablehlo.sqrt %second : tensor<1001xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<1001xf32>
    %8 = stablehlo.divide %first, %7 : tensor<1001xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<1001xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<1001xf32>
    %new = stablehlo.subtract %p, %10 : tensor<1001xf32>
    return %new, %first, %6 : tensor<1001xf32>, tensor<1001xf32>, tensor<1001xf32>
  }
  func.func private @update_1016(%p: tensor<1016xf32>, %g: tensor<1016xf32>, %m: tensor<1016xf32>, %v: tensor<1016xf32>, %rate: tensor<f32>) -> (tensor<1016xf32>, tensor<1016xf32>, tensor<1016xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<1016xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<1016xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<1016xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<1016xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<1016xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<1016xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<1016xf32>
    %first = stablehlo.add %0, %1 : tensor<1016xf32>
    %2 = stablehlo.multiply %g, %g : tensor<1016xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<1016xf32>
    %4 = stablehlo.multiply %v, %v : tensor<1016xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<1016xf32>
    %second = stablehlo.add %5, %3 : tensor<1016xf32>
    %6 = stablehlo.sqrt %second : tensor<1016xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<1016xf32>
    %8 = stablehlo.divide %first, %7 : tensor<1016xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<1016xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<1016xf32>
    %new = stablehlo.subtract %p, %10 : tensor<1016xf32>
    return %new, %first, %6 : tensor<1016xf32>, tensor<1016xf32>, tensor<1016xf32>
  }
  func.func private @update_1040(%p: tensor<1040xf32>, %g: tensor<1040xf32>, %m: tensor<1040xf32>, %v: tensor<1040xf32>, %rate: tensor<f32>) -> (tensor<1040xf32>, tensor<1040xf32>, tensor<1040xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<1040xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<1040xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<1040xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<1040xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<1040xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<1040xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<1040xf32>
    %first = stablehlo.add %0, %1 : tensor<1040xf32>
    %2 = stablehlo.multiply %g, %g : tensor<1040xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<1040xf32>
    %4 = stablehlo.multiply %v, %v : tensor<1040xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<1040xf32>
    %second = stablehlo.add %5, %3 : tensor<1040xf32>
    %6 = stablehlo.sqrt %second : tensor<1040xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<1040xf32>
    %8 = stablehlo.divide %first, %7 : tensor<1040xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<1040xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<1040xf32>
    %new = stablehlo.subtract %p, %10 : tensor<1040xf32>
    return %new, %first, %6 : tensor<1040xf32>, tensor<1040xf32>, tensor<1040xf32>
  }
  func.func private @update_1064(%p: tensor<1064xf32>, %g: tensor<1064xf32>, %m: tensor<1064xf32>, %v: tensor<1064xf32>, %rate: tensor<f32>) -> (tensor<1064xf32>, tensor<1064xf32>, tensor<1064xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<1064xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<1064xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<1064xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<1064xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<1064xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<1064xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<1064xf32>
    %first = stablehlo.add %0, %1 : tensor<1064xf32>
    %2 = stablehlo.multiply %g, %g : tensor<1064xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<1064xf32>
    %4 = stablehlo.multiply %v, %v : tensor<1064xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<1064xf32>
    %second = stablehlo.add %5, %3 : tensor<1064xf32>
    %6 = stablehlo.sqrt %second : tensor<1064xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<1064xf32>
    %8 = stablehlo.divide %first, %7 : tensor<1064xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<1064xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<1064xf32>
    %new = stablehlo.subtract %p, %10 : tensor<1064xf32>
    return %new, %first, %6 : tensor<1064xf32>, tensor<1064xf32>, tensor<1064xf32>
  }
  func.func private @update_1088(%p: tensor<1088xf32>, %g: tensor<1088xf32>, %m: tensor<1088xf32>, %v: tensor<1088xf32>, %rate: tensor<f32>) -> (tensor<1088xf32>, tensor<1088xf32>, tensor<1088xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<1088xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<1088xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<1088xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<1088xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<1088xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<1088xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<1088xf32>
    %first = stablehlo.add %0, %1 : tensor<1088xf32>
    %2 = stablehlo.multiply %g, %g : tensor<1088xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<1088xf32>
    %4 = stablehlo.multiply %v, %v : tensor<1088xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<1088xf32>
    %second = stablehlo.add %5, %3 : tensor<1088xf32>
    %6 = stablehlo.sqrt %second : tensor<1088xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<1088xf32>
    %8 = stablehlo.divide %first, %7 : tensor<1088xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<1088xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<1088xf32>
    %new = stablehlo.subtract %p, %10 : tensor<1088xf32>
    return %new, %first, %6 : tensor<1088xf32>, tensor<1088xf32>, tensor<1088xf32>
  }
  func.func private @update_1112(%p: tensor<1112xf32>, %g: tensor<1112xf32>, %m: tensor<1112xf32>, %v: tensor<1112xf32>, %rate: tensor<f32>) -> (tensor<1112xf32>, tensor<1112xf32>, tensor<1112xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<1112xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<1112xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<1112xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<1112xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<1112xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<1112xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<1112xf32>
    %first = stablehlo.add %0, %1 : tensor<1112xf32>
    %2 = stablehlo.multiply %g, %g : tensor<1112xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<1112xf32>
    %4 = stablehlo.multiply %v, %v : tensor<1112xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<1112xf32>
    %second = stablehlo.add %5, %3 : tensor<1112xf32>
    %6 = stablehlo.sqrt %second : tensor<1112xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<1112xf32>
    %8 = stablehlo.divide %first, %7 : tensor<1112xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<1112xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<1112xf32>
    %new = stablehlo.subtract %p, %10 : tensor<1112xf32>
    return %new, %first, %6 : tensor<1112xf32>, tensor<1112xf32>, tensor<1112xf32>
  }
  func.func private @update_1136(%p: tensor<1136xf32>, %g: tensor<1136xf32>, %m: tensor<1136xf32>, %v: tensor<1136xf32>, %rate: tensor<f32>) -> (tensor<1136xf32>, tensor<1136xf32>, tensor<1136xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<1136xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<1136xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<1136xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<1136xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<1136xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<1136xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<1136xf32>
    %first = stablehlo.add %0, %1 : tensor<1136xf32>
    %2 = stablehlo.multiply %g, %g : tensor<1136xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<1136xf32>
    %4 = stablehlo.multiply %v, %v : tensor<1136xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<1136xf32>
    %second = stablehlo.add %5, %3 : tensor<1136xf32>
    %6 = stablehlo.sqrt %second : tensor<1136xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<1136xf32>
    %8 = stablehlo.divide %first, %7 : tensor<1136xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<1136xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<1136xf32>
    %new = stablehlo.subtract %p, %10 : tensor<1136xf32>
    return %new, %first, %6 : tensor<1136xf32>, tensor<1136xf32>, tensor<1136xf32>
  }
  func.func private @update_1160(%p: tensor<1160xf32>, %g: tensor<1160xf32>, %m: tensor<1160xf32>, %v: tensor<1160xf32>, %rate: tensor<f32>) -> (tensor<1160xf32>, tensor<1160xf32>, tensor<1160xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<1160xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<1160xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<1160xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<1160xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<1160xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<1160xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<1160xf32>
    %first = stablehlo.add %0, %1 : tensor<1160xf32>
    %2 = stablehlo.multiply %g, %g : tensor<1160xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<1160xf32>
    %4 = stablehlo.multiply %v, %v : tensor<1160xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<1160xf32>
    %second = stablehlo.add %5, %3 : tensor<1160xf32>
    %6 = stablehlo.sqrt %second : tensor<1160xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<1160xf32>
    %8 = stablehlo.divide %first, %7 : tensor<1160xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<1160xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<1160xf32>
    %new = stablehlo.subtract %p, %10 : tensor<1160xf32>
    return %new, %first, %6 : tensor<1160xf32>, tensor<1160xf32>, tensor<1160xf32>
  }
  func.func private @update_1184(%p: tensor<1184xf32>, %g: tensor<1184xf32>, %m: tensor<1184xf32>, %v: tensor<1184xf32>, %rate: tensor<f32>) -> (tensor<1184xf32>, tensor<1184xf32>, tensor<1184xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<1184xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<1184xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<1184xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<1184xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<1184xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<1184xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<1184xf32>
    %first = stablehlo.add %0, %1 : tensor<1184xf32>
    %2 = stablehlo.multiply %g, %g : tensor<1184xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<1184xf32>
    %4 = stablehlo.multiply %v, %v : tensor<1184xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<1184xf32>
    %second = stablehlo.add %5, %3 : tensor<1184xf32>
    %6 = stablehlo.sqrt %second : tensor<1184xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<1184xf32>
    %8 = stablehlo.divide %first, %7 : tensor<1184xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<1184xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<1184xf32>
    %new = stablehlo.subtract %p, %10 : tensor<1184xf32>
    return %new, %first, %6 : tensor<1184xf32>, tensor<1184xf32>, tensor<1184xf32>
  }
  func.func private @update_1208(%p: tensor<1208xf32>, %g: tensor<1208xf32>, %m: tensor<1208xf32>, %v: tensor<1208xf32>, %rate: tensor<f32>) -> (tensor<1208xf32>, tensor<1208xf32>, tensor<1208xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<1208xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<1208xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<1208xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<1208xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<1208xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<1208xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<1208xf32>
    %first = stablehlo.add %0, %1 : tensor<1208xf32>
    %2 = stablehlo.multiply %g, %g : tensor<1208xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<1208xf32>
    %4 = stablehlo.multiply %v, %v : tensor<1208xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<1208xf32>
    %second = stablehlo.add %5, %3 : tensor<1208xf32>
    %6 = stablehlo.sqrt %second : tensor<1208xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<1208xf32>
    %8 = stablehlo.divide %first, %7 : tensor<1208xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<1208xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<1208xf32>
    %new = stablehlo.subtract %p, %10 : tensor<1208xf32>
    return %new, %first, %6 : tensor<1208xf32>, tensor<1208xf32>, tensor<1208xf32>
  }
  func.func private @update_1232(%p: tensor<1232xf32>, %g: tensor<1232xf32>, %m: tensor<1232xf32>, %v: tensor<1232xf32>, %rate: tensor<f32>) -> (tensor<1232xf32>, tensor<1232xf32>, tensor<1232xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<1232xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<1232xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<1232xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<1232xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<1232xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<1232xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<1232xf32>
    %first = stablehlo.add %0, %1 : tensor<1232xf32>
    %2 = stablehlo.multiply %g, %g : tensor<1232xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<1232xf32>
    %4 = stablehlo.multiply %v, %v : tensor<1232xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<1232xf32>
    %second = stablehlo.add %5, %3 : tensor<1232xf32>
    %6 = stablehlo.sqrt %second : tensor<1232xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<1232xf32>
    %8 = stablehlo.divide %first, %7 : tensor<1232xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<1232xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<1232xf32>
    %new = stablehlo.subtract %p, %10 : tensor<1232xf32>
    return %new, %first, %6 : tensor<1232xf32>, tensor<1232xf32>, tensor<1232xf32>
  }
  func.func private @update_1256(%p: tensor<1256xf32>, %g: tensor<1256xf32>, %m: tensor<1256xf32>, %v: tensor<1256xf32>, %rate: tensor<f32>) -> (tensor<1256xf32>, tensor<1256xf32>, tensor<1256xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<1256xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<1256xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<1256xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<1256xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<1256xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<1256xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<1256xf32>
    %first = stablehlo.add %0, %1 : tensor<1256xf32>
    %2 = stablehlo.multiply %g, %g : tensor<1256xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<1256xf32>
    %4 = stablehlo.multiply %v, %v : tensor<1256xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<1256xf32>
    %second = stablehlo.add %5, %3 : tensor<1256xf32>
    %6 = stablehlo.sqrt %second : tensor<1256xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<1256xf32>
    %8 = stablehlo.divide %first, %7 : tensor<1256xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<1256xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<1256xf32>
    %new = stablehlo.subtract %p, %10 : tensor<1256xf32>
    return %new, %first, %6 : tensor<1256xf32>, tensor<1256xf32>, tensor<1256xf32>
  }
  func.func private @update_1280(%p: tensor<1280xf32>, %g: tensor<1280xf32>, %m: tensor<1280xf32>, %v: tensor<1280xf32>, %rate: tensor<f32>) -> (tensor<1280xf32>, tensor<1280xf32>, tensor<1280xf32>) {
    %beta1 = stablehlo.constant dense<0.9> : tensor<1280xf32>
    %rest1 = stablehlo.constant dense<0.1> : tensor<1280xf32>
    %beta2 = stablehlo.constant dense<0.999> : tensor<1280xf32>
    %rest2 = stablehlo.constant dense<0.001> : tensor<1280xf32>
    %epsilon = stablehlo.constant dense<1.0e-04> : tensor<1280xf32>
    %0 = stablehlo.multiply %m, %beta1 : tensor<1280xf32>
    %1 = stablehlo.multiply %g, %rest1 : tensor<1280xf32>
    %first = stablehlo.add %0, %1 : tensor<1280xf32>
    %2 = stablehlo.multiply %g, %g : tensor<1280xf32>
    %3 = stablehlo.multiply %2, %rest2 : tensor<1280xf32>
    %4 = stablehlo.multiply %v, %v : tensor<1280xf32>
    %5 = stablehlo.multiply %4, %beta2 : tensor<1280xf32>
    %second = stablehlo.add %5, %3 : tensor<1280xf32>
    %6 = stablehlo.sqrt %second : tensor<1280xf32>
    %7 = stablehlo.add %6, %epsilon : tensor<1280xf32>
    %8 = stablehlo.divide %first, %7 : tensor<1280xf32>
    %9 = stablehlo.broadcast_in_dim %rate, dims = [] : (tensor<f32>) -> tensor<1280xf32>
    %10 = stablehlo.multiply %9, %8 : tensor<1280xf32>
    %new = stablehlo.subtract %p, %10 : tensor<1280xf32>
    return %new, %first, %6 : tensor<1280xf32>, tensor<1280xf32>, tensor<1280xf32>
  }
}
