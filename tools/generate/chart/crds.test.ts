import { parse } from 'yaml';
import { describe, expect, it } from '@jest/globals';
import { allKinds, crdName, customResourceDefinition } from '@kruise/api';
import { crdGenerator } from './crds.ts';

const files = new Map(crdGenerator.files().map(({ path, content }) => [path, content]));
const kinds = allKinds.map((declaration) => ({ name: crdName(declaration), declaration }));

describe('generated CRDs', () => {
  it.each(kinds)('$name reads back from YAML as it was declared', ({ name, declaration }) => {
    const text = files.get(`deploy/crds/generated/${name}.yaml`) ?? '';
    expect(text.split('\n')[0]).toBe(`# Generated from libs/api/src/kinds/${declaration.singular} by \`npm run generate\`. Do not edit.`);
    // Tools for Kubernetes read YAML 1.1, where words such as `on` are no strings.
    expect(parse(text, { version: '1.1' })).toEqual(customResourceDefinition(declaration));
  });

  it.each(kinds)('$name of the chart has its condition and takes the namespace from the values', ({ name, declaration }) => {
    const text = files.get(`charts/kruise/templates/generated/crds/${name}.yaml`) ?? '';
    expect(text.split('\n')[1]).toBe('{{- if include "kruise.isOn" .Values.crds.managed }}');
    expect(text.endsWith('{{- end }}\n')).toBe(true);
    const webhook = declaration.conversion === 'Webhook';
    expect(text.includes('namespace: {{ .Values.installation.namespace | quote }}')).toBe(webhook);
    expect(text.includes('{{- with .Values.externalCerts.annotations }}')).toBe(webhook);
    expect(text.includes('helm.sh/resource-policy: keep')).toBe(true);
  });

  it('let a value choose the stored version where there are two', () => {
    for (const { name, declaration } of kinds) {
      const text = files.get(`charts/kruise/templates/generated/crds/${name}.yaml`) ?? '';
      const lines = text.match(/^ {6}storage: .*$/gm) ?? [];
      const hasChoice = declaration.versions.length === 2;
      const chosen = ['      storage: {{ eq $stored "v1alpha1" }}', '      storage: {{ ne $stored "v1alpha1" }}'];
      expect([name, ...lines]).toEqual([name, ...(hasChoice ? chosen : ['      storage: true'])]);
      expect(text.includes(`{{- $stored := include "kruise.storedVersion" (list . "${name}") }}`)).toBe(hasChoice);
    }
  });

  it('leave room in a Helm release, which holds them twice in at most 1 MiB', () => {
    const chart = [...files].filter(([path]) => path.startsWith('charts/')).map(([, text]) => text.length);
    expect(chart.reduce((sum, length) => sum + length, 0)).toBeLessThan(700_000);
  });
});
