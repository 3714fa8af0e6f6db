/** What the types of a file depend on: the file, and every file of the project that it imports, directly or through others. */
import ts from 'typescript';
import { keyOf } from './passed-files.ts';

const isOfProject = (path: string): boolean => !path.includes('/node_modules/');

/** Whether other files can only be affected by a file through an import of it. */
export const isOnlyImported = (file: ts.SourceFile): boolean => ts.isExternalModule(file) && !/\bdeclare (global|module)\b/.test(file.text);

export class ImportClosure {
  readonly #program: ts.Program;
  readonly #folder: string;
  readonly #resolutions: ts.ModuleResolutionCache;
  readonly #imports = new Map<string, readonly string[] | undefined>();
  readonly #contents = new Map<string, string>();

  /** @param folder of the project, which is no part of a key */
  constructor(program: ts.Program, folder: string) {
    this.#program = program;
    this.#folder = folder;
    this.#resolutions = ts.createModuleResolutionCache(folder, (name) => name, program.getCompilerOptions());
  }

  /** Returns a key of the contents; undefined for a file that is not in the program, or that imports what cannot be found. */
  keyOf(path: string): string | undefined {
    const reached = new Set([path]);
    for (const one of reached) {
      const imports = this.#importsOf(one);
      if (imports === undefined) return undefined;
      for (const imported of imports) reached.add(imported);
    }
    return keyOf(...[...reached].toSorted().map((one) => this.#contentOf(one)));
  }

  #contentOf(path: string): string {
    const known = this.#contents.get(path) ?? keyOf(path.slice(this.#folder.length), this.#program.getSourceFile(path)?.text ?? '');
    this.#contents.set(path, known);
    return known;
  }

  #importsOf(path: string): readonly string[] | undefined {
    if (!this.#imports.has(path)) this.#imports.set(path, this.#resolve(path));
    return this.#imports.get(path);
  }

  #resolve(path: string): readonly string[] | undefined {
    const file = this.#program.getSourceFile(path);
    if (file === undefined) return undefined;
    const options = this.#program.getCompilerOptions();
    const found: string[] = [];
    for (const { fileName } of ts.preProcessFile(file.text, true, true).importedFiles) {
      const { resolvedModule } = ts.resolveModuleName(fileName, path, options, ts.sys, this.#resolutions, undefined, ts.ModuleKind.ESNext);
      const isPackage = !fileName.startsWith('.') && !fileName.startsWith('@kruise/');
      if (resolvedModule === undefined && !isPackage) return undefined;
      if (resolvedModule !== undefined && isOfProject(resolvedModule.resolvedFileName)) found.push(resolvedModule.resolvedFileName);
    }
    return found;
  }
}
