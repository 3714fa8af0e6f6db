-- Runs scripts as Argo CD does: Lua 5.1 with the functions of the base library, `table`, and `os.date` and `os.time`, without `string`, `math` and `io`.
-- Reads a line for each run, `return { script = FILE, obj = TABLE }`, and writes a line for each result: `ok JSON` or `error MESSAGE`.
local open, format, gsub, byte, date, time = io.lines, string.format, string.gsub, string.byte, os.date, os.time
local concat, write, load, loadfile = table.concat, io.write, loadstring, loadfile
getmetatable("").__index = nil

local function quoted(text)
  return '"' .. gsub(text, '[%c"\\\127]', function(char) return format("\\u%04x", byte(char)) end) .. '"'
end

-- An empty table becomes an empty list, and a table with a hole is an error, as in Argo CD.
local function json(value)
  if type(value) == "string" then return quoted(value) end
  if type(value) == "number" then return format("%.17g", value) end
  if type(value) ~= "table" then return tostring(value) end
  if next(value) == nil then return "[]" end
  local parts = {}
  if type(next(value)) == "number" then
    local size = 0
    for key in pairs(value) do
      if type(key) ~= "number" then error("mixed keys") end
      size = size + 1
    end
    for index = 1, size do
      if value[index] == nil then error("sparse array") end
      parts[index] = json(value[index])
    end
    return "[" .. concat(parts, ",") .. "]"
  end
  for key, one in pairs(value) do
    if type(key) ~= "string" then error("mixed keys") end
    parts[#parts + 1] = quoted(key) .. ":" .. json(one)
  end
  return "{" .. concat(parts, ",") .. "}"
end

local base = {
  "assert", "error", "ipairs", "next", "pairs", "pcall", "rawequal", "rawget", "rawset", "select", "setmetatable", "getmetatable", "tonumber",
  "tostring", "type", "unpack", "xpcall",
}
local function environment(object)
  local globals = { obj = object, table = table, os = { date = date, time = time } }
  for _, name in ipairs(base) do globals[name] = _G[name] end
  globals._G = globals
  return globals
end

for line in open() do
  local run = assert(load(line))()
  local chunk = assert(loadfile(run.script))
  setfenv(chunk, environment(run.obj))
  local ok, result = pcall(function() return json(chunk()) end)
  write(ok and "ok " or "error ", (gsub(tostring(result), "\n", " ")), "\n")
end
