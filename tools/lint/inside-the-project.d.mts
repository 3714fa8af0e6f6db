import type { Rule } from 'eslint';

export declare const insideTheProject: (root: string) => Rule.RuleModule;
