local settings = tableAt(unpack(place))
if type(settings.partition) == "string" then settings.partition = "0%" else settings.partition = 0 end
return obj
