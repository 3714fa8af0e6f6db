/**
 * Entry point of the single executable, which is both programs: as `resourcedistributiongenerator`, by the name that it was started with or by its
 * first argument, it is the exec plugin of kustomize; otherwise it is kubectl-kruise.
 */
import { basename } from 'node:path';

const generator = 'resourcedistributiongenerator';
const name = basename(process.argv0).replace(/\.exe$/i, '');

if (name === generator || process.argv[2] === generator) await import('./resourcedistributiongenerator.ts');
else await import('./main.ts');
