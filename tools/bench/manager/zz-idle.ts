import '/work/main/tools/bench/manager/metrics.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { readFileSync, cpSync } from 'node:fs';
import { createClient, loadClusterConfig } from '@kruise/kube';
import { startControlPlane } from '@kruise/testing';
import { buildManager, ManagerProcess } from './manager-process.ts';
import { customResourceDefinitions } from '@kruise/objects';
import { install } from './install.ts';
const program = await buildManager('/tmp/bench-out/b3');
await using plane = await startControlPlane({});
const client = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'kruise-bench' });
await install(client, AbortSignal.timeout(60_000));

async function look(label: string, env: Record<string, string>, after?: (m: ManagerProcess) => Promise<void>): Promise<void> {
  const before = { ...process.env };
  Object.assign(process.env, env);
  await using m = await ManagerProcess.start({ program: (globalThis as any).prog ?? program, kubeconfig: plane.kubeconfigPath, folder: '/tmp/bench-out/idle' });
  for (const k of Object.keys(env)) { if (before[k] === undefined) delete process.env[k]; else process.env[k] = before[k]; }
  const r = await m.waitUntilReady();
  await m.waitUntilLeading();
  await sleep(6000);
  await after?.(m);
  console.log(label.padEnd(40), r.toFixed(2), readFileSync(`/proc/${m.pid}/status`, 'utf8').split('\n').filter((l) => /^(VmRSS|RssAnon|RssFile)/.test(l)).join(' | '));
}

import { readFileSync as rd, writeFileSync as wr, cpSync as cp } from 'node:fs';
const variant = (name: string, edit: (file: string, text: string) => string): string => {
  cp('/tmp/bench-out/b3/manager', `/tmp/bench-out/b3/${name}`, { recursive: true });
  for (const f of ['main.mjs', 'webhook-thread.mjs']) wr(`/tmp/bench-out/b3/${name}/${f}`, edit(f, rd(`/tmp/bench-out/b3/${name}/${f}`, 'utf8')));
  return `/tmp/bench-out/b3/${name}/main.mjs`;
};
const gcCode = "\nimport v8x from 'node:v8'; import vmx from 'node:vm'; v8x.setFlagsFromString('--expose-gc'); const gcx = vmx.runInNewContext('gc'); setTimeout(() => { const a = performance.now(); gcx({type:'major', flavor:'last-resort'}); console.error('GC took', performance.now() - a); }, 4000).unref();\n";
const report = "\nsetTimeout(()=>{const m=process.memoryUsage(); console.error('MEM', import.meta.filename.split('/').pop(), JSON.stringify(Object.fromEntries(Object.entries(m).map(([k,v])=>[k,+(v/1e6).toFixed(1)]))))},5500).unref();\n";
const A = { MALLOC_ARENA_MAX: '1' };
const programs: [string, string, Record<string,string>][] = [
  ['base', variant('v0', (f, t) => report + t), {}],
  ['arena', variant('v0', (f, t) => report + t), A],
  ['arena + gc both', variant('v1', (f, t) => gcCode + report + t), A],
  ['arena + gc + worker young', variant('v2', (f, t) => gcCode + report + (f === 'main.mjs' ? t.replaceAll('name:"webhooks"', 'name:"webhooks",resourceLimits:{maxYoungGenerationSizeMb:4}') : t)), A],
];
const program0 = program;
for (const [label, prog, env] of programs) {
  (globalThis as any).prog = prog;
  await look(label, env);
}
console.log(rd('/tmp/bench-out/idle/manager.log', 'utf8').split('\n').filter((l) => /^(MEM|GC)/.test(l)).join('\n'));
client.close();
