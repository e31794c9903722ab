-- A session of Neovim with the language server: what a maintainer does, and the buffers after each step.
local program, file, out = vim.env.FBC, vim.env.FBC_FILE, vim.env.FBC_OUT

local function fail(what)
  vim.fn.writefile({ "failed: " .. what }, out .. "/failed")
  vim.cmd("cquit 1")
end

local function wait(what, test)
  if not vim.wait(60000, test, 10) then
    fail("waited for " .. what)
  end
end

local function save(name)
  vim.fn.writefile(vim.api.nvim_buf_get_lines(0, 0, -1, false), out .. "/" .. name)
end

local function session()
  vim.cmd("edit " .. vim.fn.fnameescape(file))
  vim.bo.filetype = "yaml"
  local id = vim.lsp.start_client({
    cmd = { program, "lsp" },
    root_dir = vim.env.FBC_ROOT,
    workspace_folders = { { uri = vim.uri_from_fname(vim.env.FBC_ROOT), name = "catalog" } },
  })
  if not id then
    fail("the server does not start")
  end
  vim.lsp.buf_attach_client(0, id)
  local client = vim.lsp.get_client_by_id(id)
  wait("the handshake", function() return client.initialized == true end)

  local function ask(method, params)
    local answer = client.request_sync(method, params, 60000, 0)
    if not answer or answer.err then
      fail(method .. ": " .. vim.inspect(answer))
    end
    return answer.result
  end

  local function codes()
    local found = {}
    for _, one in ipairs(vim.diagnostic.get(0)) do
      found[one.code or (one.user_data and one.user_data.lsp and one.user_data.lsp.code) or one.message] = one
    end
    return found
  end

  local function cursor_to(text, offset)
    local row = vim.fn.search(text, "w")
    if row == 0 then
      fail("there is no " .. text)
    end
    vim.api.nvim_win_set_cursor(0, { row, vim.fn.col(".") - 1 + (offset or 0) })
  end

  -- An entry is written a second time: a finding comes while the file is not saved.
  cursor_to("^- name: lighthouse-operator.v1.0.0$", 8)
  local row = vim.api.nvim_win_get_cursor(0)[1]
  vim.api.nvim_buf_set_lines(0, row, row, false, { "- name: lighthouse-operator.v1.0.0" })
  wait("FBC018", function() return codes().FBC018 ~= nil end)
  local finding = codes().FBC018
  vim.fn.writefile({ tostring(finding.lnum + 1), tostring(finding.col + 1), finding.message }, out .. "/finding")

  -- Hover over the entry.
  local hover = ask("textDocument/hover", vim.lsp.util.make_position_params(0, client.offset_encoding))
  vim.fn.writefile(vim.split(hover.contents.value, "\n"), out .. "/hover")
  cursor_to("^- name: lighthouse-operator.v1.1.0$", 8)
  hover = ask("textDocument/hover", vim.lsp.util.make_position_params(0, client.offset_encoding))
  vim.fn.writefile(vim.split(hover.contents.value, "\n"), out .. "/entry")

  -- The fix puts it right.
  vim.api.nvim_win_set_cursor(0, { finding.lnum + 1, finding.col })
  local params = vim.lsp.util.make_range_params(0, client.offset_encoding)
  params.context = { diagnostics = {} }
  local applied, titles = false, {}
  for _, action in ipairs(ask("textDocument/codeAction", params)) do
    table.insert(titles, action.title)
    if action.title == "FBC018: remove the second entry" then
      vim.lsp.util.apply_workspace_edit(action.edit, client.offset_encoding)
      applied = true
    end
  end
  vim.fn.writefile(titles, out .. "/actions")
  if not applied then
    fail("there is no fix for FBC018")
  end
  wait("no FBC018", function() return codes().FBC018 == nil end)
  save("fixed")

  -- A bundle gets another name, wherever it stands.
  cursor_to("^name: lighthouse-operator.v1.1.0$", 8)
  params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  params.newName = "lighthouse-operator.v1.1.0-renamed"
  vim.lsp.util.apply_workspace_edit(ask("textDocument/rename", params), client.offset_encoding)
  save("renamed")

  -- What may replace the entry: the bundle before it comes first.
  cursor_to("^  replaces: lighthouse-operator.v1.0.0$", 12)
  params = vim.lsp.util.make_position_params(0, client.offset_encoding)
  local labels = {}
  for _, item in ipairs(ask("textDocument/completion", params)) do
    table.insert(labels, item.label)
  end
  vim.fn.writefile(labels, out .. "/completed")

  -- A scenario is played when it is saved: an expectation that is not met, then one that is.
  vim.cmd("edit " .. vim.fn.fnameescape(vim.env.FBC_ROOT .. "/scenario.yaml"))
  vim.lsp.buf_attach_client(0, id)
  local function unmet()
    for _, one in ipairs(vim.diagnostic.get(0)) do
      if one.source == "fbc simulate" then
        return one
      end
    end
  end
  vim.cmd("silent write")
  wait("an unmet expectation", function() return unmet() ~= nil end)
  vim.fn.writefile({ tostring(unmet().lnum + 1), unmet().message }, out .. "/unmet")
  vim.cmd("silent %s/mast/keel/")
  vim.cmd("silent write")
  local lens = { textDocument = vim.lsp.util.make_text_document_params() }
  wait("the verdict", function()
    local verdict = ask("textDocument/codeLens", lens)[2]
    return verdict and verdict.command.title == "✓ 1 of 1 expectations are met"
  end)
  wait("no unmet expectation", function() return unmet() == nil end)

  client.stop()
  wait("the end", function() return client.is_stopped() end)
end

local is_done, fault = xpcall(session, debug.traceback)
if not is_done then
  fail(fault)
end
vim.cmd("qall!")
