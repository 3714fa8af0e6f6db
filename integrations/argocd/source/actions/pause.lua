tableAt(unpack(place)).paused = true
return obj
