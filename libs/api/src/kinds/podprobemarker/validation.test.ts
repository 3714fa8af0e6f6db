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
    ['tcpSocket', withProbe({ probe: { tcpSocket: { port: 8080 } } })],
    ['grpc beside another handler', withProbe({ probe: { tcpSocket: { port: 8080 }, grpc: { port: 1 } } })],
  ])('takes one %s', (_name, object) => {
    expect(formatFieldErrors(validatePodProbeMarker(object))).toBe('');
  });

  it.each<[string, JsonObject, string]>([
    ['no spec', {}, 'spec: Required value'],
    ['no selector', setIn<JsonObject>(marker(), ['spec', 'selector'], undefined), 'spec.selector: Required value'],
    ['a selector without terms', setIn<JsonObject>(marker(), ['spec', 'selector'], {}), 'empty selector is not valid for podProbeMarker.'],
    ['no probes', setIn<JsonObject>(marker(), ['spec', 'probes'], []), 'spec.probes: Required value'],
    ['# in a name', withProbe({ name: 'a#b' }), 'spec.probes[0].name: Invalid value'],
    ['no name', withProbe({ name: '' }), 'spec.probes[0].name: Required value'],
    ['no container', withProbe({ containerName: undefined }), 'spec.probes[0].containerName: Required value'],
    ['the name of a native condition', withProbe({ name: 'Ready' }), 'spec.probes[0].name: Invalid value: "Ready"'],
    ['a name twice', marker(probe, { ...probe, podConditionType: 'b' }), 'spec.probes[1].name: Duplicate value: "alive"'],
    ['a condition twice', marker(probe, { ...probe, name: 'b' }), 'spec.probes[1].podConditionType: Duplicate value'],
    [
      'two handlers',
      withProbe({ probe: { exec: { command: ['a'] }, tcpSocket: { port: 1 } } }),
      'may not specify more than 1 handler type',
    ],
    ['no handler', withProbe({ probe: {} }), 'must specify a handler type'],
    ['grpc alone', withProbe({ probe: { grpc: { port: 1 } } }), 'must specify a handler type'],
    ['exec without command', withProbe({ probe: { exec: {} } }), 'spec.probes[0].probe.exec.command: Required value'],
    ['a host (http)', http({ host: '10.0.0.1' }), 'httpGet.host: Forbidden: host field in probes is not allowed'],
    [
      'a host (tcp)',
      withProbe({ probe: { tcpSocket: { host: 'x', port: 1 } } }),
      'tcpSocket.host: Forbidden: host field in probes is not allowed',
    ],
    ['no scheme', http({ scheme: '' }), 'httpGet.scheme: Required value: set scheme to HTTP or HTTPS'],
    ['a misspelt scheme', http({ scheme: 'HTTPs' }), 'did you mean "HTTPS"?'],
    ['no path', http({ path: '' }), 'httpGet.path: Required value'],
    ['a URL of another host', http({ path: 'http://other/' }), 'httpGet.path: Invalid value'],
    ['another host without scheme', http({ path: '//other/' }), 'httpGet.path: Invalid value'],
    ['a path that breaks the request line', http({ path: '/ HTTP/1.1\r\nX: y' }), 'httpGet.path: Invalid value'],
    ['a port out of range', http({ port: 70000 }), 'must be between 1 and 65535'],
    ['a header name', http({ httpHeaders: [{ name: 'a b', value: '' }] }), 'a valid HTTP header'],
    ['a negative number', withProbe({ probe: { exec: { command: ['a'] }, periodSeconds: -1 } }), 'must be greater than or equal to 0'],
    [
      'neither condition nor policy',
      withProbe({ podConditionType: '', markerPolicy: [] }),
      'podConditionType and markerPolicy cannot both be empty',
    ],
    ['a condition that is no name', withProbe({ podConditionType: 'a b' }), 'spec.probes[0].podConditionType: Invalid value'],
    ['a condition of others', withProbe({ podConditionType: 'Ready' }), 'must not be a condition that Kubernetes or Kruise writes'],
    [
      'a header of two lines',
      http({ httpHeaders: [{ name: 'X', value: 'y\r\nHost: other' }] }),
      'spec.probes[0].probe.httpGet.httpHeaders[0].value: Invalid value',
    ],
    [
      'a state twice',
      withProbe({
        markerPolicy: [
          { state: 'Failed', labels: { a: 'b' } },
          { state: 'Failed', labels: { a: 'b' } },
        ],
      }),
      'markerPolicy[1].state: Duplicate value',
    ],
    ['an unknown state', withProbe({ markerPolicy: [{ state: 'Succeded', labels: { a: 'b' } }] }), 'did you mean "Succeeded"?'],
    ['a policy without effect', withProbe({ markerPolicy: [{ state: 'Failed', labels: {} }] }), 'labels or annotations must be given'],
    ['a label that is none', withProbe({ markerPolicy: [{ state: 'Failed', labels: { a: 'b c' } }] }), 'markerPolicy[0].labels'],
    [
      'an annotation key that is none',
      withProbe({ markerPolicy: [{ state: 'Failed', annotations: { 'a b': '' } }] }),
      'markerPolicy[0].annotations',
    ],
  ])('refuses %s', (_name, object, text) => {
    expect(formatFieldErrors(validatePodProbeMarker(object))).toContain(text);
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
  expect(formatFieldErrors(validatePodProbeMarkerUpdate(changed, marker()))).toContain('selector must be immutable');
  expect(validatePodProbeMarkerUpdate(setIn<JsonObject>(marker(), ['spec', 'selector', 'matchExpressions'], null), marker())).toEqual([]);
});

it('warns of what has no effect', () => {
  const object = withProbe({ probe: { exec: { command: ['a'] }, grpc: { port: 1 }, terminationGracePeriodSeconds: 3 } });
  expect(podProbeMarkerWarnings(object)).toHaveLength(2);
  expect(podProbeMarkerWarnings(marker())).toEqual([]);
});
