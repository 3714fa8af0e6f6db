/** The scripts that start a program of an archive: on macOS Node itself, elsewhere the single executable under its other name. Pure. */

/** Follows links first: Krew and users link the script into a folder of the PATH. */
const findFolder = `self=$0
while [ -L "$self" ]; do
  target=$(readlink "$self")
  case $target in
    /*) self=$target ;;
    *) self=\${self%/*}/$target ;;
  esac
done
case $self in
  */*) folder=\${self%/*} ;;
  *) folder=. ;;
esac`;

/** @param command with paths below `$folder` */
const shellScript = (command: string): string => `#!/bin/sh\n${findFolder}\nexec ${command} "$@"\n`;

/** @param bundle file name in the folder `lib` */
export const nodeScript = (bundle: string): string => shellScript(`"$folder/lib/node" "$folder/lib/${bundle}"`);

/** Starts the single executable as the generator for kustomize. */
export const generatorScript = shellScript('"$folder/kubectl-kruise" resourcedistributiongenerator');

/** The same for Windows. */
export const generatorBatch = '@"%~dp0kubectl-kruise.exe" resourcedistributiongenerator %*\r\n';
