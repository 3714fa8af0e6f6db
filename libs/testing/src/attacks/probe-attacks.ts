/**
 * Probes with which a user who may write PodProbeMarkers, or even NodePodProbes, tries to reach more than the Pod. The same list is for admission,
 * which reads markers, and for the agent of a node, which must not trust what it reads.
 */
import type { JsonObject } from '@kruise/objects';

/** A probe that tries to reach what it must not. */
export interface ProbeAttack {
  readonly name: string;
  /** The handler and the numbers of one probe. */
  readonly probe: JsonObject;
  /** The refusal of admission; undefined when it is allowed, because it reaches only the Pod. */
  readonly refusal?: string;
}

const noHost = 'host: Forbidden: host field in probes is not allowed';

const httpGet = (over: JsonObject): JsonObject => ({ httpGet: { path: '/', port: 80, scheme: 'HTTP', ...over } });
const tcpSocket = (over: JsonObject): JsonObject => ({ tcpSocket: { port: 80, ...over } });

const hosts: readonly ProbeAttack[] = [
  ['the metadata service', '169.254.169.254'],
  ['the metadata service by IPv6', '[fd00:ec2::254]'],
  ['the metadata service by name', 'metadata.google.internal'],
  ['the metadata service, mapped into IPv6', '::ffff:169.254.169.254'],
  ['the metadata service, mapped, in hex', '::ffff:a9fe:a9fe'],
  ['the API server by its Service', 'kubernetes.default.svc'],
  ['the API server by address', '10.96.0.1'],
  ['the loopback of the node', '127.0.0.1'],
  ['the loopback by name', 'localhost'],
  ['the loopback by IPv6', '::1'],
  ['the loopback as one number', '2130706433'],
  ['the loopback in hex', '0x7f.1'],
  ['every address', '0.0.0.0'],
  ['a neighbour on the link', 'fe80::1%eth0'],
  ['a host that is blank', ' '],
  ['a socket of the node', '/var/run/containerd/containerd.sock'],
].map(([what, host]) => ({ name: `HTTP to ${what}`, probe: httpGet({ host: host ?? '' }), refusal: `httpGet.${noHost}` }));

const tcpHosts: readonly ProbeAttack[] = [
  ['another Pod', '10.0.0.2'],
  ['the node', '192.168.0.9'],
  ['a name', 'internal.example'],
].map(([what, host]) => ({ name: `TCP to ${what}`, probe: tcpSocket({ host: host ?? '' }), refusal: `tcpSocket.${noHost}` }));

const schemes: readonly ProbeAttack[] = ['file', 'unix', 'gopher', 'http', '', 'HTTPS\r\nX: y'].map((scheme) => ({
  name: `the scheme ${JSON.stringify(scheme)}`,
  probe: httpGet({ scheme }),
  refusal: 'httpGet.scheme',
}));

const paths: readonly ProbeAttack[] = [
  ...[
    'http://169.254.169.254/',
    'https:169.254.169.254',
    '//169.254.169.254/',
    '\\\\169.254.169.254\\x',
    '/ HTTP/1.1\r\nHost: other',
    '',
  ].map((path) => ({ name: `the path ${JSON.stringify(path)}`, probe: httpGet({ path }), refusal: 'httpGet.path' })),
  ...['@169.254.169.254/', ':80@169.254.169.254/', '/../../etc/passwd', '/?url=http://169.254.169.254/', '/#@169.254.169.254/'].map(
    (path) => ({ name: `the path ${JSON.stringify(path)}, which is the Pod's own`, probe: httpGet({ path }) }),
  ),
];

const header = (name: string, value: string): JsonObject => httpGet({ httpHeaders: [{ name, value }] });
const headers: readonly ProbeAttack[] = [
  { name: 'another host by header, which is text to the Pod', probe: header('Host', '169.254.169.254') },
  { name: 'a value with a second header', probe: header('X', 'y\r\nHost: other'), refusal: 'httpHeaders[0].value' },
  { name: 'a value with a second request', probe: header('X', 'y\r\n\r\nGET /x HTTP/1.1'), refusal: 'httpHeaders[0].value' },
  { name: 'a name with a second header', probe: header('X: y\r\nHost', 'other'), refusal: 'httpHeaders[0].name' },
  { name: 'no name', probe: header('', 'other'), refusal: 'httpHeaders[0].name' },
  {
    name: 'a switch of the protocol',
    probe: httpGet({
      httpHeaders: [
        { name: 'Connection', value: 'Upgrade' },
        { name: 'Upgrade', value: 'h2c' },
      ],
    }),
  },
  { name: 'a body that never comes', probe: header('Content-Length', '1000000') },
  {
    name: 'headers of a megabyte',
    probe: httpGet({ httpHeaders: Array.from({ length: 64 }, () => ({ name: 'X', value: 'y'.repeat(16_384) })) }),
    refusal: 'must have at most 65536 bytes',
  },
];

const ports: readonly ProbeAttack[] = [
  0,
  -1,
  65_536,
  2_147_483_647,
  '../../x',
  '',
  ' 80',
  '80:22',
  'a-name-that-is-too-long',
  'evil.example',
].flatMap((port) => [
  { name: `HTTP to the port ${JSON.stringify(port)}`, probe: httpGet({ port }), refusal: 'httpGet.port' },
  { name: `TCP to the port ${JSON.stringify(port)}`, probe: tcpSocket({ port }), refusal: 'tcpSocket.port' },
]);

const longest = 2_147_483_647;
const exec: JsonObject = { exec: { command: ['true'] } };
const numbers: readonly ProbeAttack[] = [
  ...['periodSeconds', 'timeoutSeconds', 'initialDelaySeconds', 'successThreshold', 'failureThreshold'].map((member) => ({
    name: `a negative ${member}`,
    probe: { ...exec, [member]: -longest },
    refusal: member,
  })),
  { name: 'a time that no timer holds, by HTTP', probe: { ...httpGet({}), timeoutSeconds: longest } },
  { name: 'a time that no timer holds, by TCP', probe: { ...tcpSocket({}), timeoutSeconds: longest } },
  { name: 'a time that no timer holds, by exec', probe: { ...exec, timeoutSeconds: longest } },
  { name: 'a period that no timer holds', probe: { ...exec, periodSeconds: longest } },
  { name: 'thresholds that are never reached', probe: { ...exec, successThreshold: longest, failureThreshold: longest } },
];

const handlers: readonly ProbeAttack[] = [
  { name: 'no handler', probe: {}, refusal: 'must specify a handler type' },
  { name: 'only a handler that is not known', probe: { grpc: { port: 1 } }, refusal: 'must specify a handler type' },
  { name: 'a command and a connection', probe: { ...exec, ...tcpSocket({}) }, refusal: 'may not specify more than 1 handler type' },
  {
    name: 'a command and another host',
    probe: { ...exec, ...httpGet({ host: '10.0.0.2' }) },
    refusal: 'may not specify more than 1 handler type',
  },
  { name: 'no command', probe: { exec: {} }, refusal: 'exec.command' },
  { name: 'an empty command', probe: { exec: { command: [] } }, refusal: 'exec.command' },
  { name: 'a command without a name', probe: { exec: { command: [''] } } },
  { name: 'a command of ten thousand words', probe: { exec: { command: Array.from({ length: 10_000 }, () => 'x') } } },
  { name: 'a command for another container', probe: { exec: { command: ['true'], container: 'other' } } },
];

/** At least 60; each is one row of a test. */
export const probeAttacks: readonly ProbeAttack[] = [
  ...hosts,
  ...tcpHosts,
  ...schemes,
  ...paths,
  ...headers,
  ...ports,
  ...numbers,
  ...handlers,
];
