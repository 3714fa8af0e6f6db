tableAt(unpack(place)).paused = false
return obj
