BEGIN { @a["k"] = count(); printa("%d\n", @a); }
