export { countTargets, isProbable, isVirtual, matcherOf, planTargets } from './plan-targets.ts';
export { parseProbeName } from './probe-name.ts';
