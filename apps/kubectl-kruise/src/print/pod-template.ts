/** A Pod template as `kubectl describe` prints it. */
import { isJsonObject, memberAt, numberAt, objectsAt, stringAt, type JsonObject } from '@kruise/objects';
import { alignTabs } from './tab-writer.ts';

const byName = (members: unknown): readonly (readonly [string, unknown])[] =>
  isJsonObject(members) ? Object.entries(members).toSorted(([a], [b]) => (a < b ? -1 : 1)) : [];

const asText = (value: unknown): string => (typeof value === 'string' ? value : String(value));

function multiline(title: string, members: unknown, separator: string): string {
  const entries = byName(members);
  if (entries.length === 0) return `  ${title}:\t<none>\n`;
  return entries.map(([name, value], index) => `${index === 0 ? `  ${title}:` : ''}\t${name}${separator}${asText(value)}\n`).join('');
}

function portsText(container: JsonObject): string {
  const ports = objectsAt(container, 'ports');
  const list = (name: string): string =>
    ports.map((port) => `${numberAt(port, name) ?? 0}/${stringAt(port, 'protocol') ?? 'TCP'}`).join(', ');
  const line = (title: string, text: string): string => `    ${title}${text.includes(',') ? 's' : ''}:\t${text === '' ? '<none>' : text}\n`;
  return line('Port', list('containerPort')) + line('Host Port', list('hostPort'));
}

function wordsText(title: string, words: unknown): string {
  if (!Array.isArray(words) || words.length === 0) return '';
  const lines = (words as unknown[]).flatMap((word) => asText(word).split('\n'));
  return `    ${title}:\n${lines.map((line) => `      ${line}\n`).join('')}`;
}

function quantitiesText(title: string, quantities: unknown): string {
  const entries = byName(quantities);
  return entries.length === 0 ? '' : `    ${title}:\n${entries.map(([name, value]) => `      ${name}:\t${asText(value)}\n`).join('')}`;
}

function actionText(probe: JsonObject): string {
  const http = memberAt(probe, 'httpGet');
  if (isJsonObject(http)) {
    const scheme = (stringAt(http, 'scheme') ?? 'HTTP').toLowerCase();
    return `http-get ${scheme}://${stringAt(http, 'host') ?? ''}:${asText(http['port'])}${stringAt(http, 'path') ?? ''}`;
  }
  const tcp = memberAt(probe, 'tcpSocket');
  if (isJsonObject(tcp)) return `tcp-socket ${stringAt(tcp, 'host') ?? ''}:${asText(tcp['port'])}`;
  const grpc = memberAt(probe, 'grpc');
  if (isJsonObject(grpc)) return `grpc <pod>:${asText(grpc['port'])} ${stringAt(grpc, 'service') ?? ''}`;
  const command = memberAt(probe, 'exec', 'command');
  return Array.isArray(command) ? `exec [${(command as unknown[]).map(asText).join(' ')}]` : 'unknown';
}

function probeText(title: string, probe: unknown): string {
  if (!isJsonObject(probe)) return '';
  const number = (name: string): number => numberAt(probe, name) ?? 0;
  const attributes = `delay=${number('initialDelaySeconds')}s timeout=${number('timeoutSeconds')}s period=${number('periodSeconds')}s #success=${number('successThreshold')} #failure=${number('failureThreshold')}`;
  return `    ${title}:\t${actionText(probe)} ${attributes}\n`;
}

/** Where a variable takes its value from, in the words of kubectl. */
function envSourceText(source: JsonObject): string {
  const text = (ref: unknown, name: string, absent = ''): string => stringAt(ref, name) ?? absent;
  const { fieldRef, resourceFieldRef, secretKeyRef, configMapKeyRef } = source;
  if (isJsonObject(fieldRef)) return ` (${text(fieldRef, 'apiVersion', 'v1')}:${text(fieldRef, 'fieldPath')})`;
  if (isJsonObject(resourceFieldRef)) return ` (${text(resourceFieldRef, 'resource')})`;
  const ref = secretKeyRef ?? configMapKeyRef;
  const of = isJsonObject(secretKeyRef) ? 'in secret' : 'of config map';
  return `<set to the key '${text(ref, 'key')}' ${of} '${text(ref, 'name')}'>\tOptional: ${memberAt(ref, 'optional') === true}`;
}

function envLine(env: JsonObject): string {
  const name = stringAt(env, 'name') ?? '';
  const source = memberAt(env, 'valueFrom');
  if (isJsonObject(source)) return `      ${name}:\t${envSourceText(source)}\n`;
  const [first = '', ...rest] = (stringAt(env, 'value') ?? '').split('\n');
  return `      ${name}:\t${first}\n${rest.map((line) => `      \t${line}\n`).join('')}`;
}

function envText(container: JsonObject): string {
  const from = objectsAt(container, 'envFrom').map((source) => {
    const isSecret = isJsonObject(source['secretRef']);
    const ref = isSecret ? source['secretRef'] : source['configMapRef'];
    const prefix = stringAt(source, 'prefix') ?? '';
    return `      ${stringAt(ref, 'name') ?? ''}\t${isSecret ? 'Secret' : 'ConfigMap'}${prefix === '' ? '' : ` with prefix '${prefix}'`}\tOptional: ${memberAt(ref, 'optional') === true}\n`;
  });
  const env = objectsAt(container, 'env');
  const fromText = from.length === 0 ? '' : `    Environment Variables from:\n${from.join('')}`;
  return fromText + (env.length === 0 ? '    Environment:\t<none>\n' : `    Environment:\n${env.map(envLine).join('')}`);
}

function mountsText(container: JsonObject): string {
  const mounts = objectsAt(container, 'volumeMounts').toSorted((a, b) =>
    (stringAt(a, 'mountPath') ?? '') < (stringAt(b, 'mountPath') ?? '') ? -1 : 1,
  );
  if (mounts.length === 0) return '    Mounts:\t<none>\n';
  const line = (mount: JsonObject): string => {
    const path = stringAt(mount, 'subPath') ?? '';
    const flags = [mount['readOnly'] === true ? 'ro' : 'rw', ...(path === '' ? [] : [`path="${path}"`])];
    return `      ${stringAt(mount, 'mountPath') ?? ''} from ${stringAt(mount, 'name') ?? ''} (${flags.join(',')})\n`;
  };
  return `    Mounts:\n${mounts.map(line).join('')}`;
}

const containerText = (container: JsonObject): string =>
  [
    `   ${stringAt(container, 'name') ?? ''}:\n`,
    `    Image:\t${stringAt(container, 'image') ?? ''}\n`,
    portsText(container),
    wordsText('Command', container['command']),
    wordsText('Args', container['args']),
    quantitiesText('Limits', memberAt(container, 'resources', 'limits')),
    quantitiesText('Requests', memberAt(container, 'resources', 'requests')),
    probeText('Liveness', container['livenessProbe']),
    probeText('Readiness', container['readinessProbe']),
    probeText('Startup', container['startupProbe']),
    envText(container),
    mountsText(container),
  ].join('');

const volumeKinds: Readonly<
  Record<string, readonly [type: string, members: readonly (readonly [title: string, member: string, absent: string])[]]>
> = {
  hostPath: [
    'HostPath (bare host directory volume)',
    [
      ['Path', 'path', ''],
      ['HostPathType', 'type', ''],
    ],
  ],
  emptyDir: [
    "EmptyDir (a temporary directory that shares a pod's lifetime)",
    [
      ['Medium', 'medium', ''],
      ['SizeLimit', 'sizeLimit', '<unset>'],
    ],
  ],
  secret: [
    'Secret (a volume populated by a Secret)',
    [
      ['SecretName', 'secretName', ''],
      ['Optional', 'optional', 'false'],
    ],
  ],
  configMap: [
    'ConfigMap (a volume populated by a ConfigMap)',
    [
      ['Name', 'name', ''],
      ['Optional', 'optional', 'false'],
    ],
  ],
  persistentVolumeClaim: [
    'PersistentVolumeClaim (a reference to a PersistentVolumeClaim in the same namespace)',
    [
      ['ClaimName', 'claimName', ''],
      ['ReadOnly', 'readOnly', 'false'],
    ],
  ],
};

function volumeText(volume: JsonObject): string {
  const kind = Object.keys(volume).find((name) => name !== 'name') ?? '<unknown>';
  const [type, members] = volumeKinds[kind] ?? [kind, []];
  const source = volume[kind];
  const lines = members.map(([title, member, absent]) => `    ${title}:\t${asText(memberAt(source, member) ?? absent)}\n`);
  return `   ${stringAt(volume, 'name') ?? ''}:\n    Type:\t${type}\n${lines.join('')}`;
}

function volumesText(volumes: readonly JsonObject[]): string {
  return volumes.length === 0 ? '  Volumes:\t<none>\n' : `  Volumes:\n${volumes.map(volumeText).join('')}`;
}

/** The block that begins with `Pod Template:`, aligned. */
export function podTemplateText(template: unknown): string {
  const spec = memberAt(template, 'spec');
  const annotations = memberAt(template, 'metadata', 'annotations');
  const account = stringAt(spec, 'serviceAccountName') ?? '';
  const priority = stringAt(spec, 'priorityClassName') ?? '';
  const init = objectsAt(spec, 'initContainers');
  const text = [
    'Pod Template:\n',
    multiline('Labels', memberAt(template, 'metadata', 'labels'), '='),
    byName(annotations).length === 0 ? '' : multiline('Annotations', annotations, ': '),
    account === '' ? '' : `  Service Account:\t${account}\n`,
    init.length === 0 ? '' : `  Init Containers:\n${init.map(containerText).join('')}`,
    `  Containers:\n${objectsAt(spec, 'containers').map(containerText).join('')}`,
    volumesText(objectsAt(spec, 'volumes')),
    priority === '' ? '' : `  Priority Class Name:\t${priority}\n`,
  ];
  return alignTabs(text.join(''));
}
