import { describe, expect, it } from '@jest/globals';
import { formatFieldErrors, setIn, type JsonObject } from '@kruise/objects';
import { podProbeMarkerWarnings, validatePodProbeMarker, validatePodProbeMarkerUpdate } from './validation.ts';

const probe = {
  name: 'alive',
  containerName: 'main',
  podConditionType: 'game.io/alive',
  probe: { exec: { command: ['true'] }, periodSeconds: 5 },
  markerPolicy: [{ state: 'Succeeded', labels: { alive: 'yes' } }],
};
const marker = (...probes: readonly unknown[]): JsonObject => ({
  spec: { selector: { matchLabels: { app: 'web' } }, probes: probes.length > 0 ? probes : [probe] },
});
const withProbe = (over: object): JsonObject => marker({ ...probe, ...over });
const http = (over: object): JsonObject => withProbe({ probe: { httpGet: { path: '/', port: 80, scheme: 'HTTP', ...over } } });

describe('validatePodProbeMarker', () => {
  it.each<[string, JsonObject]>([
    ['as users write it', marker()],
    ['two probes', marker(probe, { ...probe, name: 'b', podConditionType: 'b' })],
    ['only a policy', withProbe({ podConditionType: undefined })],
    ['only a condition', withProbe({ markerPolicy: undefined })],
    [
      'policies for both states',
      withProbe({
        markerPolicy: [
          { state: 'Succeeded', labels: { a: 'b' } },
          { state: 'Failed', annotations: { a: '' } },
        ],
      }),
    ],
    ['httpGet with a query', http({ path: '/healthz?full=1#x', port: 'http', httpHeaders: [{ name: 'Host', value: 'shop' }] })],
    ['httpGet with a path without a slash', http({ path: 'healthz' })],
    ['httpGet with a path that has a colon and slashes behind its first name', http({ path: '/a:b//c' })],
    ['httpGet with a path that ends with a slash', http({ path: 'a/' })],
    ['tcpSocket', withProbe({ probe: { tcpSocket: { port: 8080 } } })],
    ['grpc beside another handler', withProbe({ probe: { tcpSocket: { port: 8080 }, grpc: { port: 1 } } })],
  ])('takes one %s', (_name, object) => {
    expect(formatFieldErrors(validatePodProbeMarker(object))).toBe('');
  });

  it.each<[string, JsonObject, string]>([
    ['no spec', {}, 'spec: Required value'],
    ['no selector', setIn<JsonObject>(marker(), ['spec', 'selector'], undefined), 'spec.selector: Required value'],
    [
      'a selector without terms',
      setIn<JsonObject>(marker(), ['spec', 'selector'], {}),
      'spec.selector: Invalid value: {}: empty selector is not valid for podProbeMarker.',
    ],
    ['a spec that is a list', { spec: [] }, 'spec: Invalid value: []: must be an object'],
    [
      'probes that are null',
      setIn<JsonObject>(marker(), ['spec', 'probes'], null),
      'spec.probes: Required value: at least one probe must be given',
    ],
    [
      'a selector that is a list',
      setIn<JsonObject>(marker(), ['spec', 'selector'], []),
      'spec.selector: Invalid value: []: must be an object',
    ],
    [
      'a selector that is none',
      setIn<JsonObject>(marker(), ['spec', 'selector', 'matchLabels'], { 'a b': 'c' }),
      `spec.selector.matchLabels: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    ['a name that is a number', withProbe({ name: 5 }), 'spec.probes[0].name: Invalid value: 5: must be a string'],
    ['a container that is a number', withProbe({ containerName: 5 }), 'spec.probes[0].containerName: Invalid value: 5: must be a string'],
    [
      'a condition that is a number',
      withProbe({ podConditionType: 5 }),
      'spec.probes[0].podConditionType: Invalid value: 5: must be a string',
    ],
    ['policies that are no list', withProbe({ markerPolicy: 'x' }), 'spec.probes[0].markerPolicy: Invalid value: "x": must be a list'],
    [
      'a policy without state',
      withProbe({ markerPolicy: [{ labels: { a: 'b' } }] }),
      'spec.probes[0].markerPolicy[0].state: Required value',
    ],
    [
      'a policy without labels and annotations',
      withProbe({ markerPolicy: [{ state: 'Failed', labels: [], annotations: null }] }),
      '[spec.probes[0].markerPolicy[0].labels: Invalid value: []: must be an object, spec.probes[0].markerPolicy[0]: Required value: labels or annotations must be given]',
    ],
    [
      'a path with a backslash',
      http({ path: '/a\\b' }),
      'spec.probes[0].probe.httpGet.path: Invalid value: "/a\\\\b": must be the path of a URL, such as /healthz?full=1',
    ],
    [
      'a path with a blank',
      http({ path: '/a b' }),
      'spec.probes[0].probe.httpGet.path: Invalid value: "/a b": must be the path of a URL, such as /healthz?full=1',
    ],
    [
      'a path of another scheme',
      http({ path: 'ftp+x.1-2:a' }),
      'spec.probes[0].probe.httpGet.path: Invalid value: "ftp+x.1-2:a": must be the path of a URL, such as /healthz?full=1',
    ],
    ['no scheme at all', http({ scheme: undefined }), 'spec.probes[0].probe.httpGet.scheme: Required value: set scheme to HTTP or HTTPS'],
    [
      'a header with a zero byte',
      http({ httpHeaders: [{ name: 'X', value: 'a\0' }] }),
      'spec.probes[0].probe.httpGet.httpHeaders[0].value: Invalid value: "a\\u0000": must be one line',
    ],
    [
      'a number of failures that is negative',
      withProbe({ probe: { exec: { command: ['a'] }, failureThreshold: -1 } }),
      'spec.probes[0].probe.failureThreshold: Invalid value: -1: must be greater than or equal to 0',
    ],
    ['exec that is a list', withProbe({ probe: { exec: [] } }), 'spec.probes[0].probe.exec: Invalid value: []: must be an object'],
    ['no probes', setIn<JsonObject>(marker(), ['spec', 'probes'], []), 'spec.probes: Required value: at least one probe must be given'],
    [
      '# in a name',
      withProbe({ name: 'a#b' }),
      'spec.probes[0].name: Invalid value: "a#b": must not contain #, which joins it to the name of the PodProbeMarker',
    ],
    ['no name', withProbe({ name: '' }), 'spec.probes[0].name: Required value'],
    ['no container', withProbe({ containerName: undefined }), 'spec.probes[0].containerName: Required value'],
    [
      'the name of a native condition',
      withProbe({ name: 'Ready' }),
      'spec.probes[0].name: Invalid value: "Ready": must not be the name of a condition that Kubernetes or Kruise writes',
    ],
    ['a name twice', marker(probe, { ...probe, podConditionType: 'b' }), 'spec.probes[1].name: Duplicate value: "alive"'],
    ['a condition twice', marker(probe, { ...probe, name: 'b' }), 'spec.probes[1].podConditionType: Duplicate value: "game.io/alive"'],
    [
      'two handlers',
      withProbe({ probe: { exec: { command: ['a'] }, tcpSocket: { port: 1 } } }),
      'spec.probes[0].probe.tcpSocket: Forbidden: may not specify more than 1 handler type',
    ],
    ['no handler', withProbe({ probe: {} }), 'spec.probes[0].probe: Required value: must specify a handler type'],
    ['grpc alone', withProbe({ probe: { grpc: { port: 1 } } }), 'spec.probes[0].probe: Required value: must specify a handler type'],
    ['exec without command', withProbe({ probe: { exec: {} } }), 'spec.probes[0].probe.exec.command: Required value'],
    ['a host (http)', http({ host: '10.0.0.1' }), 'spec.probes[0].probe.httpGet.host: Forbidden: host field in probes is not allowed'],
    [
      'a host (tcp)',
      withProbe({ probe: { tcpSocket: { host: 'x', port: 1 } } }),
      'spec.probes[0].probe.tcpSocket.host: Forbidden: host field in probes is not allowed',
    ],
    ['no scheme', http({ scheme: '' }), 'spec.probes[0].probe.httpGet.scheme: Required value: set scheme to HTTP or HTTPS'],
    [
      'a misspelt scheme',
      http({ scheme: 'HTTPs' }),
      'spec.probes[0].probe.httpGet.scheme: Unsupported value: "HTTPs": supported values: "HTTP", "HTTPS"; did you mean "HTTPS"?',
    ],
    ['no path', http({ path: '' }), 'spec.probes[0].probe.httpGet.path: Required value'],
    [
      'a URL of another host',
      http({ path: 'http://other/' }),
      'spec.probes[0].probe.httpGet.path: Invalid value: "http://other/": must be the path of a URL, such as /healthz?full=1',
    ],
    [
      'another host without scheme',
      http({ path: '//other/' }),
      'spec.probes[0].probe.httpGet.path: Invalid value: "//other/": must be the path of a URL, such as /healthz?full=1',
    ],
    [
      'a path that breaks the request line',
      http({ path: '/ HTTP/1.1\r\nX: y' }),
      'spec.probes[0].probe.httpGet.path: Invalid value: "/ HTTP/1.1\\r\\nX: y": must be the path of a URL, such as /healthz?full=1',
    ],
    [
      'a port out of range',
      http({ port: 70000 }),
      'spec.probes[0].probe.httpGet.port: Invalid value: 70000: must be between 1 and 65535, inclusive',
    ],
    [
      'a header name',
      http({ httpHeaders: [{ name: 'a b', value: '' }] }),
      `spec.probes[0].probe.httpGet.httpHeaders[0].name: Invalid value: "a b": a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')`,
    ],
    [
      'a negative number',
      withProbe({ probe: { exec: { command: ['a'] }, periodSeconds: -1 } }),
      'spec.probes[0].probe.periodSeconds: Invalid value: -1: must be greater than or equal to 0',
    ],
    [
      'neither condition nor policy',
      withProbe({ podConditionType: '', markerPolicy: [] }),
      'spec.probes[0]: Required value: podConditionType and markerPolicy cannot both be empty',
    ],
    [
      'a condition that is no name',
      withProbe({ podConditionType: 'a b' }),
      `spec.probes[0].podConditionType: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
    [
      'a condition of others',
      withProbe({ podConditionType: 'Ready' }),
      'spec.probes[0].podConditionType: Invalid value: "Ready": must not be a condition that Kubernetes or Kruise writes',
    ],
    [
      'a header of two lines',
      http({ httpHeaders: [{ name: 'X', value: 'y\r\nHost: other' }] }),
      'spec.probes[0].probe.httpGet.httpHeaders[0].value: Invalid value: "y\\r\\nHost: other": must be one line',
    ],
    [
      'a state twice',
      withProbe({
        markerPolicy: [
          { state: 'Failed', labels: { a: 'b' } },
          { state: 'Failed', labels: { a: 'b' } },
        ],
      }),
      'spec.probes[0].markerPolicy[1].state: Duplicate value: "Failed"',
    ],
    [
      'an unknown state',
      withProbe({ markerPolicy: [{ state: 'Succeded', labels: { a: 'b' } }] }),
      'spec.probes[0].markerPolicy[0].state: Unsupported value: "Succeded": supported values: "Succeeded", "Failed"; did you mean "Succeeded"?',
    ],
    [
      'a policy without effect',
      withProbe({ markerPolicy: [{ state: 'Failed', labels: {} }] }),
      'spec.probes[0].markerPolicy[0]: Required value: labels or annotations must be given',
    ],
    [
      'a label that is none',
      withProbe({ markerPolicy: [{ state: 'Failed', labels: { a: 'b c' } }] }),
      `spec.probes[0].markerPolicy[0].labels: Invalid value: "b c": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
    [
      'an annotation key that is none',
      withProbe({ markerPolicy: [{ state: 'Failed', annotations: { 'a b': '' } }] }),
      `spec.probes[0].markerPolicy[0].annotations: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
    ],
  ])('refuses %s', (_name, object, text) => {
    expect(formatFieldErrors(validatePodProbeMarker(object))).toBe(text);
  });

  it.each(['PodScheduled', 'Initialized', 'Ready', 'ContainersReady', 'KruisePodReady', 'InPlaceUpdateReady'])(
    'refuses the native condition %s as condition and as name',
    (type) => {
      expect(formatFieldErrors(validatePodProbeMarker(withProbe({ podConditionType: type })))).toBe(
        `spec.probes[0].podConditionType: Invalid value: "${type}": must not be a condition that Kubernetes or Kruise writes`,
      );
      expect(formatFieldErrors(validatePodProbeMarker(withProbe({ name: type })))).toBe(
        `spec.probes[0].name: Invalid value: "${type}": must not be the name of a condition that Kubernetes or Kruise writes`,
      );
    },
  );

  it.each([
    'AllContainersRestarting',
    'DisruptionTarget',
    'PodHasNetwork',
    'PodReadyToStartContainers',
    'PodResizeInProgress',
    'PodResizePending',
    'SidecarSetUpgradable',
    'SidecarTerminated',
  ])('refuses the condition %s, which others write, but not as a name', (type) => {
    expect(formatFieldErrors(validatePodProbeMarker(withProbe({ podConditionType: type })))).toBe(
      `spec.probes[0].podConditionType: Invalid value: "${type}": must not be a condition that Kubernetes or Kruise writes`,
    );
    expect(validatePodProbeMarker(withProbe({ name: type }))).toEqual([]);
  });

  it.each(['ready', 'example.com/Ready', 'DisruptionTargets'])('accepts the condition %s, which has no other writer', (type) => {
    expect(validatePodProbeMarker(withProbe({ podConditionType: type }))).toEqual([]);
  });

  it('lets a stored marker keep the conditions of others that it has, and take no further ones', () => {
    const held = withProbe({ podConditionType: 'DisruptionTarget' });
    const moved = marker(probe, { ...probe, name: 'b', podConditionType: 'DisruptionTarget' });
    const more = marker({ ...probe, podConditionType: 'DisruptionTarget' }, { ...probe, name: 'b', podConditionType: 'Ready' });
    expect(validatePodProbeMarker(withProbe({ podConditionType: 'DisruptionTarget', containerName: 'x' }), held)).toEqual([]);
    expect(validatePodProbeMarker(moved, held)).toEqual([]);
    expect(formatFieldErrors(validatePodProbeMarker(more, held))).toBe(
      'spec.probes[1].podConditionType: Invalid value: "Ready": must not be a condition that Kubernetes or Kruise writes',
    );
  });

  it('refuses annotations of more than 256 KiB', () => {
    const of = (length: number): string =>
      formatFieldErrors(validatePodProbeMarker(withProbe({ markerPolicy: [{ state: 'Failed', annotations: { a: 'x'.repeat(length) } }] })));
    expect(of(256 * 1024 - 1)).toBe('');
    expect(of(256 * 1024)).toBe('spec.probes[0].markerPolicy[0].annotations: Too long: may not be more than 262144 bytes');
  });

  it('names every fault at once', () => {
    const faults = validatePodProbeMarker({ spec: { probes: [{}, 7, null, { ...probe, probe: 'x' }] } });
    expect(faults.map(({ field }) => field)).toEqual([
      'spec.selector',
      'spec.probes[0].name',
      'spec.probes[0].containerName',
      'spec.probes[0].probe',
      'spec.probes[0]',
      'spec.probes[1]',
      'spec.probes[2]',
      'spec.probes[3].probe',
    ]);
  });

  it.each([null, 7, 'x', [], { probes: 7 }, { selector: 7, probes: {} }])('never throws (spec %j)', (spec) => {
    expect(validatePodProbeMarker({ spec }).length).toBeGreaterThan(0);
  });
});

it('keeps the selector', () => {
  const changed = setIn<JsonObject>(marker(), ['spec', 'selector', 'matchLabels', 'app'], 'api');
  expect(formatFieldErrors(validatePodProbeMarkerUpdate(changed, marker()))).toBe(
    'selector: Invalid value: {"matchLabels":{"app":"api"}}: selector must be immutable',
  );
  const deleted = setIn<JsonObject>(marker(), ['spec', 'selector'], undefined);
  expect(formatFieldErrors(validatePodProbeMarkerUpdate(deleted, marker()))).toBe(
    'selector: Invalid value: null: selector must be immutable',
  );
  expect(validatePodProbeMarkerUpdate(deleted, {})).toEqual([]);
  expect(validatePodProbeMarkerUpdate(marker(probe, { ...probe, name: 'b' }), marker())).toEqual([]);
  expect(validatePodProbeMarkerUpdate(setIn<JsonObject>(marker(), ['spec', 'selector', 'matchExpressions'], null), marker())).toEqual([]);
});

it('warns of conditions of others that a stored marker still has', () => {
  expect(podProbeMarkerWarnings(marker(probe, { ...probe, podConditionType: 'Ready' }))).toEqual([
    'spec.probes[1].podConditionType: Ready is a condition that Kubernetes or Kruise writes, which new markers may not name; choose another',
  ]);
});

it('warns of what has no effect', () => {
  const object = withProbe({ probe: { exec: { command: ['a'] }, grpc: { port: 1 }, terminationGracePeriodSeconds: 3 } });
  expect(podProbeMarkerWarnings(object)).toEqual([
    'spec.probes[0].probe.terminationGracePeriodSeconds has no effect: these probes never stop a container',
    'spec.probes[0].probe.grpc has no effect: use exec, httpGet or tcpSocket',
  ]);
  expect(
    podProbeMarkerWarnings(withProbe({ probe: { exec: { command: ['a'] }, grpc: null, terminationGracePeriodSeconds: null } })),
  ).toEqual([]);
  expect(podProbeMarkerWarnings({})).toEqual([]);
  expect(podProbeMarkerWarnings(marker())).toEqual([]);
});

describe('the bounds of a PodProbeMarker', () => {
  const named = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ ...probe, name: `p${i}`, podConditionType: `game.io/p${i}` }));
  const sized = (bytes: number) => marker({ ...probe, probe: { exec: { command: ['x'.repeat(bytes)] } } });
  const tooMany = 'spec.probes: Invalid value: 33: must have at most 32 probes; a Pod runs no more';
  const tooLarge =
    /^spec\.probes: Invalid value: \d+: must have at most 65536 bytes as JSON; put long scripts into the image or a ConfigMap, and run them by their path$/;

  it('let it have 32 probes of 64 KiB', () => {
    expect(validatePodProbeMarker(marker(...named(32)))).toEqual([]);
    expect(validatePodProbeMarker(sized(65_000))).toEqual([]);
  });

  it('refuse more, and name the bound and what to do', () => {
    expect(formatFieldErrors(validatePodProbeMarker(marker(...named(33))))).toBe(tooMany);
    expect(formatFieldErrors(validatePodProbeMarker(sized(66_000)))).toMatch(tooLarge);
  });

  it('let a stored marker stay beyond them, and not grow', () => {
    expect(validatePodProbeMarker(marker(...named(33)), marker(...named(34)))).toEqual([]);
    expect(formatFieldErrors(validatePodProbeMarker(marker(...named(34)), marker(...named(33))))).toContain('Invalid value: 34');
    expect(validatePodProbeMarker(sized(66_000), sized(66_000))).toEqual([]);
    expect(formatFieldErrors(validatePodProbeMarker(sized(66_001), sized(66_000)))).toMatch(tooLarge);
  });
});
