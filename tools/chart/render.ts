/** Renders the chart with Helm, for its tests. */
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { binaryPath } from '@kruise/testing';
import { parseAllDocuments } from 'yaml';

export const chartFolder = join(dirname(dirname(import.meta.dirname)), 'charts/kruise');

export interface Rendered {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

/** Values as of `--set-json`: a value as a whole by its path. */
export type Values = Readonly<Record<string, unknown>>;

export const valueFlags = (values: Values): readonly string[] =>
  Object.entries(values).flatMap(([path, value]) => ['--set-json', `${path}=${JSON.stringify(value)}`]);

/** Whether Helm applies on the server, as Helm 4 does by default; Helm 3 does not know the flags for that. */
export const isServerSide = process.env.KRUISE_HELM !== '3';

/** Helm 4 on the server refuses to overwrite what other clients have just written. See docs/operations.md, "Upgrade with Helm 4". */
const overwrites = ([command, ...args]: readonly string[]): boolean =>
  isServerSide && (command === 'upgrade' || command === 'rollback') && !args.includes('--server-side=false');

/** Runs Helm. Returns what it printed. @throws with what it printed when it fails, also when another client owns a field that differs */
export async function plainHelm(args: readonly string[], kubeconfig?: string): Promise<string> {
  const env = { ...process.env, ...(kubeconfig === undefined ? {} : { KUBECONFIG: kubeconfig }) };
  const { stdout } = await promisify(execFile)(binaryPath('helm'), args, { env, maxBuffer: 64 << 20 });
  return stdout;
}

/** As {@link plainHelm}, and overwrites fields of other clients. */
export const helm = (args: readonly string[], kubeconfig?: string): Promise<string> =>
  plainHelm(overwrites(args) ? [...args, '--force-conflicts'] : args, kubeconfig);

/**
 * Every object of the chart, hooks included, as `helm template` renders it.
 *
 * @param served versions and kinds of a cluster beside those that Helm assumes, such as `policy/v1/PodDisruptionBudget`
 */
export async function render(values: Values = {}, kubeVersion = '1.34.0', served: readonly string[] = []): Promise<readonly Rendered[]> {
  const apiVersions = served.flatMap((one) => ['--api-versions', one]);
  const text = await helm(['template', 'kruise', chartFolder, '--kube-version', kubeVersion, ...apiVersions, ...valueFlags(values)]);
  return parseAllDocuments(text, { version: '1.1' }).flatMap((document) =>
    document.contents === null ? [] : [document.toJS() as Rendered],
  );
}

export const find = (objects: readonly Rendered[], kind: string, name?: string): Rendered | undefined =>
  objects.find((object) => object.kind === kind && (name === undefined || object.metadata.name === name));
