/** The CRDs of all kinds: plain manifests under deploy/, and the same as templates of the chart. */
import { allKinds, crdName, customResourceDefinition, defaultConversionService, type KindDeclaration } from '@kruise/api';
import { withHashOrigin, withTemplateOrigin, type GeneratedFile, type Generator } from '../generator.ts';
import { toYaml } from '../yaml.ts';

const plainFolder = 'deploy/crds/generated';
const chartFolder = 'charts/kruise/templates/generated/crds';

const source = (declaration: KindDeclaration): string => `libs/api/src/kinds/${declaration.singular}`;

const plain = (declaration: KindDeclaration): GeneratedFile => ({
  path: `${plainFolder}/${crdName(declaration)}.yaml`,
  content: withHashOrigin(source(declaration), toYaml(customResourceDefinition(declaration))),
});

/** A placeholder for the namespace until the YAML is printed. */
const namespaceMark = 'installation-namespace-mark';

const keepAnnotation = `    {{- if include "kruise.isOn" .Values.crds.keep }}
    helm.sh/resource-policy: keep
    {{- end }}
`;

/** Those of a CRD whose conversion needs a CA, and those of the others. */
const annotations = {
  Webhook: `  {{- if or (include "kruise.isOn" .Values.crds.keep) .Values.externalCerts.annotations }}
  annotations:
${keepAnnotation}    {{- with .Values.externalCerts.annotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- end }}
`,
  None: `  {{- if include "kruise.isOn" .Values.crds.keep }}
  annotations:
    helm.sh/resource-policy: keep
  {{- end }}
`,
} as const;

/** The line of each version that says whether it is stored. */
const storageLine = /^ {6}storage: (true|false)$/gm;

/** Lets the template `kruise.storedVersion` choose the stored version of a kind with two versions. */
function withStorageChoice(yaml: string, declaration: KindDeclaration): string {
  if (declaration.versions.length < 2) return yaml;
  const choice = `{{- $stored := include "kruise.storedVersion" (list . "${crdName(declaration)}") }}\n`;
  const compared = (isStored: string): string => `      storage: {{ ${isStored === 'true' ? 'ne' : 'eq'} $stored "v1alpha1" }}`;
  return choice + yaml.replaceAll(storageLine, (_, isStored: string) => compared(isStored));
}

/**
 * The CRD as a template: rendered when the chart manages the CRDs; conversion goes to the service in the namespace of the installation. Values add
 * annotations for external certificates, and the one by which an uninstall keeps the CRD. Text that Helm would take for an action is refused.
 */
function chartTemplate(declaration: KindDeclaration): GeneratedFile {
  const yaml = toYaml(customResourceDefinition(declaration, { ...defaultConversionService, namespace: namespaceMark }));
  if (yaml.includes('{{')) throw new Error(`${declaration.kind}: a description must not contain {{`);
  const metadata = `metadata:\n  name: ${crdName(declaration)}\n`;
  if (!yaml.includes(metadata)) throw new Error(`${declaration.kind}: the CRD has other metadata than its name`);
  const templated = yaml.replace(metadata, metadata + annotations[declaration.conversion === 'Webhook' ? 'Webhook' : 'None']);
  const content = `{{- if include "kruise.isOn" .Values.crds.managed }}\n${withStorageChoice(templated, declaration).replaceAll(namespaceMark, '{{ .Values.installation.namespace | quote }}')}{{- end }}\n`;
  return { path: `${chartFolder}/${crdName(declaration)}.yaml`, content: withTemplateOrigin(source(declaration), content) };
}

export const crdGenerator: Generator = {
  name: 'CRDs',
  folders: [plainFolder, chartFolder],
  files: () => allKinds.flatMap((declaration) => [plain(declaration), chartTemplate(declaration)]),
};
