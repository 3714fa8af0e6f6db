/** Renders the chart kruise-state-metrics with Helm, for its tests. */
import { dirname, join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { helm, valueFlags, type Rendered, type Values } from './render.ts';

const folder = join(dirname(dirname(import.meta.dirname)), 'charts/kruise-state-metrics');

/** @param apis API versions that the cluster serves besides those of Kubernetes */
export async function renderStateMetrics(values: Values = {}, apis: readonly string[] = []): Promise<readonly Rendered[]> {
  const served = apis.flatMap((api) => ['--api-versions', api]);
  const text = await helm(['template', 'kruise', folder, '--kube-version', '1.34.0', ...served, ...valueFlags(values)]);
  return parseAllDocuments(text, { version: '1.1' }).flatMap((document) =>
    document.contents === null ? [] : [document.toJS() as Rendered],
  );
}
