local partitions = tableAt("spec", "updateStrategy", "manualUpdate", "partitions")
for name in pairs(partitions) do
  partitions[name] = 0
end
return obj
