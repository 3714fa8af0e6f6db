/** Command lines of the control plane's components. Pure. */
import { join } from 'node:path';
import { type BinaryName } from './binaries/index.ts';
import { type ComponentSpec } from './component-set.ts';

const serviceCidr = '10.96.0.0/16';
export const kubernetesServiceIp = '10.96.0.1';
export const podCidr = '10.244.0.0/16';

export interface ControlPlaneLayout {
  readonly dir: string;
  readonly binaries: Readonly<Partial<Record<BinaryName, string>>>;
  readonly ports: { readonly etcd: number; readonly etcdPeer: number; readonly api: number };
  /** Loopback, or the machine's address on the bridge that real nodes share. */
  readonly address: string;
  /** Whether kube-controller-manager runs: without it there are no service accounts, which Pods need to be admitted. */
  readonly controllers: boolean;
  /** Appended, so that they override the flags that are set here. */
  readonly apiServerFlags: readonly string[];
  /** Appended in the same way. */
  readonly controllerManagerFlags: readonly string[];
}

export const serverUrl = (layout: Pick<ControlPlaneLayout, 'address' | 'ports'>): string => `https://${layout.address}:${layout.ports.api}`;

/** Without real nodes. */
const isLoopback = ({ address }: Pick<ControlPlaneLayout, 'address'>): boolean => address === '127.0.0.1';

function command(layout: ControlPlaneLayout, name: BinaryName): string {
  const path = layout.binaries[name];
  if (path === undefined) throw new Error(`no binary for ${name}`);
  return path;
}

const flags = (values: Readonly<Record<string, string | number | boolean>>): readonly string[] =>
  Object.entries(values).map(([name, value]) => `--${name}=${value}`);

/** Returns etcd without fsync: a killed etcd loses nothing, only a machine that loses power does. */
export function etcd(layout: ControlPlaneLayout): ComponentSpec {
  const [client, peer] = [`http://127.0.0.1:${layout.ports.etcd}`, `http://127.0.0.1:${layout.ports.etcdPeer}`];
  const args = flags({
    'data-dir': join(layout.dir, 'etcd'),
    'listen-client-urls': client,
    'advertise-client-urls': client,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': `default=${peer}`,
    'unsafe-no-fsync': true,
    'quota-backend-bytes': 8_589_934_592,
    'log-level': 'warn',
  });
  return { name: 'etcd', command: command(layout, 'etcd'), args };
}

export function apiServer(layout: ControlPlaneLayout): ComponentSpec {
  const pki = (file: string): string => join(layout.dir, 'pki', file);
  const loopback = isLoopback(layout);
  const args = flags({
    'etcd-servers': `http://127.0.0.1:${layout.ports.etcd}`,
    'bind-address': loopback ? '127.0.0.1' : '0.0.0.0',
    'advertise-address': layout.address,
    'secure-port': layout.ports.api,
    'cert-dir': join(layout.dir, 'pki'),
    'tls-cert-file': pki('kube-apiserver.crt'),
    'tls-private-key-file': pki('kube-apiserver.key'),
    'client-ca-file': pki('ca.crt'),
    'kubelet-client-certificate': pki('kubelet-client.crt'),
    'kubelet-client-key': pki('kubelet-client.key'),
    'kubelet-preferred-address-types': 'InternalIP',
    'service-account-issuer': 'https://kubernetes.default.svc',
    'service-account-key-file': pki('service-accounts.key'),
    'service-account-signing-key-file': pki('service-accounts.key'),
    'requestheader-client-ca-file': pki('ca.crt'),
    // Kubernetes 1.37 requires it when one authority signs clients and proxies.
    'requestheader-allowed-names': 'front-proxy',
    'requestheader-username-headers': 'X-Remote-User',
    'requestheader-group-headers': 'X-Remote-Group',
    'requestheader-extra-headers-prefix': 'X-Remote-Extra-',
    'proxy-client-cert-file': pki('front-proxy.crt'),
    'proxy-client-key-file': pki('front-proxy.key'),
    'service-cluster-ip-range': serviceCidr,
    'authorization-mode': 'Node,RBAC',
    'allow-privileged': true,
    // To the Pods of a Service, because this host has no route to cluster IPs. On loopback there are no Pods to reach, only names (ExternalName).
    'enable-aggregator-routing': !loopback,
    profiling: false,
    ...(loopback ? { 'endpoint-reconciler-type': 'none' } : {}),
    ...(layout.controllers ? {} : { 'disable-admission-plugins': 'ServiceAccount' }),
  });
  // Collects garbage less often: saves a tenth of the CPU time of a start, for 90 MB more.
  const env = { GOGC: '400' };
  return { name: 'kube-apiserver', command: command(layout, 'kube-apiserver'), env, args: [...args, ...layout.apiServerFlags] };
}

export function controllerManager(layout: ControlPlaneLayout): ComponentSpec {
  const kubeconfig = join(layout.dir, 'kube-controller-manager.kubeconfig');
  const args = flags({
    kubeconfig,
    'authentication-kubeconfig': kubeconfig,
    'authorization-kubeconfig': kubeconfig,
    'secure-port': 0,
    'service-account-private-key-file': join(layout.dir, 'pki', 'service-accounts.key'),
    'root-ca-file': join(layout.dir, 'pki', 'ca.crt'),
    'use-service-account-credentials': true,
    'leader-elect': false,
    'enable-hostpath-provisioner': true,
    'cluster-cidr': podCidr,
    'allocate-node-cidrs': false,
    'kube-api-qps': 500,
    'kube-api-burst': 1000,
    // A kubelet reports every 5 s, 10 s on a machine that is overloaded seven times. A simulated node only renews its lease, every 10 s.
    'node-monitor-grace-period': isLoopback(layout) ? '60s' : '40s',
    // A claim whose binding had a conflict waits for the next sync, a quarter of a minute by default.
    'pvclaimbinder-sync-period': '2s',
  });
  return {
    name: 'kube-controller-manager',
    command: command(layout, 'kube-controller-manager'),
    args: [...args, ...layout.controllerManagerFlags],
  };
}

export function scheduler(layout: ControlPlaneLayout): ComponentSpec {
  const kubeconfig = join(layout.dir, 'kube-scheduler.kubeconfig');
  const args = flags({
    kubeconfig,
    'authentication-kubeconfig': kubeconfig,
    'authorization-kubeconfig': kubeconfig,
    'secure-port': 0,
    'leader-elect': false,
    'kube-api-qps': 1000,
    'kube-api-burst': 2000,
  });
  return { name: 'kube-scheduler', command: command(layout, 'kube-scheduler'), args };
}
