-- Generated from integrations/argocd/source/actions/partition-full.lua by `npm run generate`. Do not edit.

-- Returns a table of the object, which is created when it is absent.
local function tableAt(...)
  local value = obj
  for _, name in ipairs({ ... }) do
    if type(value[name]) ~= "table" then value[name] = {} end
    value = value[name]
  end
  return value
end

local place = { "spec", "updateStrategy" }
local settings = tableAt(unpack(place))
if type(settings.partition) == "string" then settings.partition = "0%" else settings.partition = 0 end
return obj
