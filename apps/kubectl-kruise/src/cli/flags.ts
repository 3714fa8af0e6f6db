/** The flags that several commands share. */
import type { Flag, FlagKind } from './command.ts';

type More = Pick<Flag, 'short' | 'bare' | 'hidden' | 'deprecated'>;

const flag =
  (kind: FlagKind) =>
  (name: string, value: string, help: string, more: More = {}): Flag => ({ name, kind, default: value, help, ...more });

/** A kind of flag whose default is `usual`, unless the flag says otherwise. */
const optional =
  (kind: FlagKind, usual: string) =>
  (name: string, help: string, more: More & Partial<Pick<Flag, 'default'>> = {}): Flag => ({ name, kind, default: usual, help, ...more });

/** `text('name', help)`, and so on: without `default`, the flag is off or empty. */
export const text = optional('text', '');
export const bool = optional('bool', 'false');
export const list = optional('list', '');
export const texts = optional('texts', '');

/** `int('name', default, help)`. */
export const int = flag('int');
export const duration = flag('duration');

export const helpFlag = bool('help', 'Print this help.', { short: 'h' });

/** Every command has these. */
export const globalFlags: readonly Flag[] = [
  text('as', 'User to impersonate.'),
  texts('as-group', 'Group to impersonate; may be given several times.'),
  text('as-uid', 'UID to impersonate.'),
  text('cache-dir', 'Accepted for compatibility: nothing is cached.'),
  text('certificate-authority', 'File with the certificate authority of the API server.'),
  text('client-certificate', 'File with the client certificate.'),
  text('client-key', 'File with the client key.'),
  text('cluster', 'Cluster of the kubeconfig to use.'),
  text('context', 'Context of the kubeconfig to use.'),
  bool('disable-compression', 'Accepted for compatibility: answers are never compressed.'),
  bool('insecure-skip-tls-verify', 'Do not verify the certificate of the API server.'),
  text('kubeconfig', 'The kubeconfig file.'),
  bool('match-server-version', 'Require that the versions of server and plugin are equal.'),
  text('namespace', 'Namespace of this request.', { short: 'n' }),
  text('password', 'Password for basic authentication.'),
  text('profile', 'Profile to capture: none, cpu, heap, goroutine, threadcreate, block, mutex.', { default: 'none' }),
  text('profile-output', 'File of the profile.', { default: 'profile.pprof' }),
  text('request-timeout', 'Time that one request may take, such as 1s, 2m or 3h; 0: the default of the client.', { default: '0' }),
  text('server', 'Address of the API server.', { short: 's' }),
  text('tls-server-name', 'Name to expect in the certificate of the API server.'),
  text('token', 'Bearer token.'),
  text('user', 'User of the kubeconfig to use.'),
  text('username', 'User name for basic authentication.'),
  text('v', 'Log level; 6 or more prints each request.', { default: '0', short: 'v' }),
  bool('warnings-as-errors', 'Exit with 1 if the API server sends a warning.'),
];

/** `-f`, `-k`, `-R`. */
export const fileFlags: readonly Flag[] = [
  list('filename', 'File, folder, URL or - for stdin that names the objects.', { short: 'f' }),
  text('kustomize', 'Folder with a kustomization.yaml.', { short: 'k' }),
  bool('recursive', 'Also read the folders in the folders of -f.', { short: 'R' }),
];

/** `-o` and what belongs to it. */
export const printFlags: readonly Flag[] = [
  text(
    'output',
    'Output format: json, yaml, name, go-template, go-template-file, template, templatefile, jsonpath, jsonpath-as-json, jsonpath-file.',
    { short: 'o' },
  ),
  text('template', 'Template, or file with it, for the formats that need one.'),
  bool('allow-missing-template-keys', 'Ignore fields of a template that an object does not have.', { default: 'true' }),
  bool('show-managed-fields', 'Keep metadata.managedFields in json and yaml.'),
];

/** `--dry-run`. */
export const dryRunFlags: readonly Flag[] = [
  text('dry-run', 'none, server (validated, not stored) or client (only printed).', { default: 'none', bare: 'unchanged' }),
];

/** `-l`. */
export const selectorFlag = text('selector', 'Label selector.', { short: 'l' });

/** `-A`. */
export const allNamespacesFlag = bool('all-namespaces', 'Of all namespaces.', { short: 'A' });

/** `--record`, which the help omits. */
export const recordFlag = bool('record', 'Record the command in the annotations.', { hidden: true });

export const saveConfigFlag = bool('save-config', 'Store the object in the annotation that kubectl apply uses.');

/** `--field-manager` with the owner that the command writes by default. */
export const fieldManagerFlag = (owner: string): Flag => text('field-manager', 'Name of the field owner.', { default: owner });

/** What `set` commands share. */
export const setFlags: readonly Flag[] = [
  bool('all', 'All objects of the kinds in the namespace.'),
  selectorFlag,
  bool('local', 'Change the objects of -f without a request to the API server.'),
  ...dryRunFlags,
  ...fileFlags,
  ...printFlags,
  fieldManagerFlag('kubectl-set'),
];
