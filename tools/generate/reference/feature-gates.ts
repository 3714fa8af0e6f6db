/** The feature gates as a table that the chart's templates look into: what a gate is when the values do not say. */
import { gateTable } from '@kruise/api';
import { withTemplateOrigin, type Generator } from '../generator.ts';

const folder = 'charts/kruise/templates/generated/gates';

function table(): string {
  const rows = Object.entries(gateTable).map(([name, gate]) => `${name}: {default: ${gate.default}, maturity: ${gate.maturity}}\n`);
  return `{{- define "kruise.gateTable" -}}\n${rows.join('')}{{- end }}\n`;
}

export const featureGateGenerator: Generator = {
  name: 'feature gates of the chart',
  folders: [folder],
  files: () => [{ path: `${folder}/_feature-gates.tpl`, content: withTemplateOrigin('libs/api/src/gates', table()) }],
};
