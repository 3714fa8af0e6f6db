import { setTimeout as sleep } from 'node:timers/promises';
import { readFileSync, cpSync } from 'node:fs';
import { createClient, loadClusterConfig } from '@kruise/kube';
import { startControlPlane } from '@kruise/testing';
import { buildManager, ManagerProcess } from './manager-process.ts';
import { install } from './install.ts';
const program = await buildManager('/tmp/bench-out/b3');
await using plane = await startControlPlane({});
const client = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'kruise-bench' });
await install(client, AbortSignal.timeout(60_000));
for (let i = 0; i < 3; i++) {
  await using m = await ManagerProcess.start({ program, kubeconfig: plane.kubeconfigPath, folder: '/tmp/bench-out/idle' });
  console.log('ready', await m.waitUntilReady());
  await m.waitUntilLeading();
  await sleep(i === 1 ? 25_000 : 5000);
  console.log(readFileSync(`/proc/${m.pid}/status`, 'utf8').split('\n').filter((l) => /^(VmHWM|VmRSS|Rss)/.test(l)).join(' | '));
  if (i === 2) {
  const mm = await m.metrics();
  console.log('heap', mm.sum('nodejs_heap_size_used_bytes')/1e6, mm.sum('nodejs_heap_size_total_bytes')/1e6, 'external', mm.sum('nodejs_external_memory_bytes')/1e6, [...mm.by('nodejs_heap_space_size_total_bytes','space')].map(([k,v])=>k+'='+(v/1e6).toFixed(1)).join(' '));
  const maps = readFileSync(`/proc/${m.pid}/smaps`, 'utf8'); 
  const agg = new Map<string, number>(); let name = '';
  for (const l of maps.split('\n')) { const h = /^[0-9a-f]+-[0-9a-f]+ (\S+) \S+ \S+ \S+\s*(.*)$/.exec(l); if (h) { name = (h[2] || 'anon') ; } const r = /^Rss:\s+(\d+)/.exec(l); if (r) agg.set(name, (agg.get(name) ?? 0) + Number(r[1])); }
  console.log([...agg].sort((a, b) => b[1] - a[1]).slice(0, 8).map(([k, v]) => `${k} ${(v / 1024).toFixed(1)}`).join('\n'));
  }
}
client.close();
