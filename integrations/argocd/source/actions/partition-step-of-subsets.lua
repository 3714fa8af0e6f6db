-- Every subset takes a step of its own.
local partitions = tableAt("spec", "updateStrategy", "manualUpdate", "partitions")
local sizes = {}
for _, one in ipairs(list("status", "subsetStatuses")) do
  sizes[one.name or ""] = one.replicas
end
for name, partition in pairs(partitions) do
  partitions[name] = lowered(partition, sizes[name] or partition)
end
return obj
