/** A small installation: a manager, an agent and the exporter as processes on a real API server, and what kubelets export of containers. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScriptedRuntime } from '@kruise/cri/testing';
import { type Client, createClient, loadClusterConfig } from '@kruise/kube';
import { type ControlPlane } from '@kruise/testing';
import { DaemonProcess, freePort } from '../../../apps/daemon/src/daemon-process.testing.ts';
import { startInstalledPlane } from '../../../apps/manager/src/int-tests/processes/installed-plane.testing.ts';
import { ManagerProcess } from '../../../apps/manager/src/int-tests/processes/manager-process.testing.ts';
import { ExporterProcess } from '../../../apps/state-metrics/src/exporter-process.testing.ts';
import type { Target } from './prometheus.testing.ts';

const gates = 'ResourcesDeletionProtection=true,DeletionProtectionForCRDCascadingGate=true';

/** The metrics of the kubelets about the containers of two workloads, `web-0` and `web-1` in namespace `shop`, growing with each scrape. */
function serveContainerMetrics(): Server {
  let scrapes = 0;
  const counters = ['cpu_usage_seconds_total', 'network_transmit_bytes_total', 'network_receive_bytes_total'];
  return createServer((_request, response) => {
    scrapes += 1;
    const lines = [...counters, 'memory_working_set_bytes'].flatMap((name) => [
      `# TYPE container_${name} ${name.endsWith('total') ? 'counter' : 'gauge'}`,
      ...['web-0', 'web-1'].map((pod) => `container_${name}{namespace="shop",pod="${pod}",container="main"} ${scrapes}`),
    ]);
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(`${lines.join('\n')}\n`);
  });
}

export class Installation implements AsyncDisposable {
  readonly plane: ControlPlane;
  readonly client: Client;
  readonly manager: ManagerProcess;
  readonly exporter: ExporterProcess;
  readonly daemon: DaemonProcess;
  /** Jobs as the monitors of the charts name them. */
  readonly targets: readonly Target[];
  readonly #stop: AsyncDisposableStack;

  private constructor(
    parts: Pick<Installation, 'plane' | 'client' | 'manager' | 'exporter' | 'daemon' | 'targets'>,
    stop: AsyncDisposableStack,
  ) {
    this.plane = parts.plane;
    this.client = parts.client;
    this.manager = parts.manager;
    this.exporter = parts.exporter;
    this.daemon = parts.daemon;
    this.targets = parts.targets;
    this.#stop = stop;
  }

  /** Resolves when the manager is ready. */
  static async start(): Promise<Installation> {
    await using stop = new AsyncDisposableStack();
    const folder = mkdtempSync(join(tmpdir(), 'kruise-installation-'));
    stop.defer(() => rmSync(folder, { recursive: true, force: true }));
    const plane = await startInstalledPlane();
    stop.defer(() => plane.stop());
    const client = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: 'integration-test' });
    stop.defer(() => client.close());

    const manager = await ManagerProcess.create({
      kubeconfigPath: plane.kubeconfigPath,
      dir: join(folder, 'manager'),
      flags: [`--feature-gates=${gates}`],
    });
    stop.defer(() => manager.signal('SIGKILL'));
    await manager.start();

    const runtime = new ScriptedRuntime({ socket: join(folder, 'containerd.sock') });
    await runtime.start();
    stop.defer(() => runtime.stop());
    const daemonPort = await freePort();
    const daemon = new DaemonProcess({ address: `127.0.0.1:${daemonPort}`, root: folder, kubeconfig: plane.kubeconfigPath });
    stop.defer(() => daemon.signal('SIGKILL'));
    const exporter = await ExporterProcess.launch([`--kubeconfig=${plane.kubeconfigPath}`]);
    stop.defer(async () => void (await exporter.stop()));
    const kubelet = serveContainerMetrics();
    await once(kubelet.listen(0, '127.0.0.1'), 'listening');
    stop.defer(() => {
      kubelet.closeAllConnections();
      kubelet.close();
    });

    const targets = [
      { job: 'kruise-controller-manager', port: manager.ports.metrics },
      { job: 'kruise-system/kruise-daemon', port: daemonPort },
      ...exporter.ports.map((port) => ({ job: 'kruise-state-metrics', port })),
      { job: 'kubelet', port: (kubelet.address() as AddressInfo).port },
    ];
    return new Installation({ plane, client, manager, exporter, daemon, targets }, stop.move());
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stop.disposeAsync();
  }
}
