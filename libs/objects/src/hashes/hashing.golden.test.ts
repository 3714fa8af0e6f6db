// Vectors of spec/inplace-update.md 3.3, 3.5 and 7.3, recorded from upstream.
import { describe, expect, it } from '@jest/globals';
import { byteText } from '../text/byte-text.ts';
import { canonicalJson } from '../json/canonical-json.ts';
import { fnv1, fnv1a } from './fnv.ts';
import { safeEncode } from './safe-alphabet.ts';

const dataA =
  '{"spec":{"template":{"$patch":"replace","metadata":{"creationTimestamp":null,"labels":{"app":"sample"}},"spec":{"containers":[{"image":"nginx:1.25","imagePullPolicy":"Always","name":"nginx","resources":{},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}],"dnsPolicy":"ClusterFirst","restartPolicy":"Always","schedulerName":"default-scheduler","securityContext":{},"terminationGracePeriodSeconds":30}}}}';
const dataB = String.raw`{"spec":{"template":{"$patch":"replace","metadata":{"annotations":{"a\u003cb\u003e\u0026c":"x\u2028é\"\\\n\t\u0001"},"creationTimestamp":null,"labels":{"10":"z","9":"y","app":"sample"}},"spec":{"containers":[{"command":["sh","-c","a \u0026\u0026 b \u003e c"],"env":[{"name":"EMPTY"},{"name":"X","value":"1"},{"name":"L","valueFrom":{"fieldRef":{"apiVersion":"v1","fieldPath":"metadata.labels['app']"}}},{"name":"R","valueFrom":{"resourceFieldRef":{"divisor":"0","resource":"limits.cpu"}}}],"image":"nginx:1.25","imagePullPolicy":"Always","name":"nginx","ports":[{"containerPort":80,"protocol":"TCP"}],"readinessProbe":{"failureThreshold":3,"httpGet":{"path":"/","port":80,"scheme":"HTTP"},"periodSeconds":10,"successThreshold":1,"timeoutSeconds":1},"resources":{"requests":{"cpu":"100m","memory":"1Gi"}},"securityContext":{"privileged":true,"runAsUser":0},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File"}],"dnsPolicy":"ClusterFirst","restartPolicy":"Always","schedulerName":"default-scheduler","securityContext":{},"terminationGracePeriodSeconds":30,"topologySpreadConstraints":[{"maxSkew":1,"topologyKey":"zone","whenUnsatisfiable":"ScheduleAnyway"}],"volumes":[{"emptyDir":{},"name":"e"},{"name":"s","secret":{"defaultMode":420,"secretName":"q"}}]}}}}`;

describe('hashes recorded from upstream', () => {
  it.each([
    ['A, collision count 0', `${dataA}0`, '5794d985c7'],
    ['A, collision count 1', `${dataA}1`, '5794d985c6'],
    ['B, collision count 0', `${dataB}0`, '7f7789c9f6'],
  ])('names revision %s', (_name, input, hash) => {
    expect(safeEncode(String(fnv1(input)))).toBe(hash);
  });

  it.each([
    ['A', dataA],
    ['B', dataB],
  ])('writes the data of vector %s byte for byte', (_name, data) => {
    expect(canonicalJson(JSON.parse(data))).toBe(data);
  });

  it.each([
    ['plain, kubelet from 1.31', '{"image":"nginx:1.25","name":"nginx"}', 1561234377],
    ['plain, kubelet before 1.31', '{"name":"nginx","image":"nginx:1.25","resources":{}}', 3262819660],
    ['env', '[{"name":"CFG","value":"foo"},{"name":"L","value":"sample"}]', 2035405208],
    ['no env', 'null', 86995377],
    ['env with an empty value', '[{"name":"CFG"},{"name":"L","value":"sample"}]', 1681667994],
    ['claim templates 1Gi', claimTemplates('1Gi'), 3636919212],
    ['claim templates 2Gi', claimTemplates('2Gi'), 2656862266],
    ['claim templates 2Gi, Filesystem', claimTemplates('2Gi', ',"volumeMode":"Filesystem"'), 1653299716],
  ])('hashes %s', (_name, json, hash) => {
    expect(fnv1a(byteText(json))).toBe(hash);
  });

  it('hashes the empty input to the offset basis', () => {
    expect([fnv1(''), fnv1a('')]).toEqual([0x811c9dc5, 0x811c9dc5]);
  });
});

describe('byteText', () => {
  it.each([
    ['ab', '([]uint8)[97 98]'],
    ['', '([]uint8)[]'],
    ['é', '([]uint8)[195 169]'],
  ])('prints %j', (text, printed) => {
    expect(byteText(text)).toBe(printed);
  });
});

function claimTemplates(size: string, more = ''): string {
  const spec = `{"accessModes":["ReadWriteOnce"],"resources":{"requests":{"storage":"${size}"}}${more}}`;
  return `[{"metadata":{"name":"data","creationTimestamp":null},"spec":${spec},"status":{}}]`;
}
