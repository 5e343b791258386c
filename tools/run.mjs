/** `node tools/run.mjs FILE [ARGUMENT...]`: runs a TypeScript program once this Node is known to be able to read it. */
import './node-version.mjs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const file = path.resolve(process.argv[2] ?? '')
// The program finds its own arguments where it would find them without this launcher.
process.argv.splice(1, 2, file)
await import(pathToFileURL(file).href)
