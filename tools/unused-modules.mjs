import { createRequire } from 'node:module'
import path from 'node:path'

const typesOfFiles = () =>
  Object.fromEntries(
    Object.entries(createRequire(import.meta.url)('mime-db')).filter(([, { extensions }]) => extensions !== undefined),
  )

/**
 * Modules of packages that the server never runs, with what takes their place in the bundle. Their source alone would
 * take 1.7 MB of memory, and some of them run while their package is loaded.
 *
 * @type {readonly [filter: RegExp, contents: string | ((name: string) => string)][]}
 */
const unused = [
  // The database is SQLite. The data types of the others are made while Sequelize is loaded.
  [
    /[\\/]sequelize[\\/]lib[\\/]dialects[\\/](db2|mariadb|mssql|mysql|oracle|postgres|snowflake)[\\/](index|data-types)\.js$/,
    'module.exports = () => ({})',
  ],
  // Sequelize's data types call these; our models declare no other validations, which would throw.
  [
    /[\\/]node_modules[\\/]validator[\\/]index\.js$/,
    `module.exports = {
      ${['isBoolean', 'isDate', 'isDecimal', 'isFloat', 'isInt', 'isIP', 'isIPRange', 'isMACAddress', 'isUUID']
        .map((name) => `${name}: require('./lib/${name}').default`)
        .join()}
    }`,
  ],
  // Dates and places of columns: times are stored as numbers.
  [
    /[\\/]node_modules[\\/](wkx[\\/]lib[\\/]wkx|moment[\\/]moment|moment-timezone[\\/]index)\.js$/,
    'module.exports = {}',
  ],
  // Types that no file name leads to. As JSON, because an object literal of this size stays in memory as code, too.
  [
    /[\\/]mime-db[\\/]index\.js$/,
    () => `module.exports = JSON.parse(${JSON.stringify(JSON.stringify(typesOfFiles()))})`,
  ],
  // body-parser reads bytes, which are decoded in server/http/contract/body.ts; queries are read without qs.
  [
    /[\\/]node_modules[\\/](iconv-lite[\\/]lib[\\/]index|body-parser[\\/]lib[\\/]types[\\/](json|text|urlencoded)|qs[\\/]lib[\\/]index)\.js$/,
    'module.exports = {}',
  ],
  // Sequelize compares the version of a database server that may be too old; SQLite comes with this program.
  [/[\\/]node_modules[\\/]semver[\\/]index\.js$/, 'module.exports = { coerce() {}, valid() {}, lt: () => false }'],
  // Certificates of authenticators are not asked for, and a passkey with a certificate is rejected before it is verified.
  [
    /[\\/]@simplewebauthn[\\/]server[\\/]esm[\\/].*[\\/](convertX509PublicKeyToCOSE|getCertificateInfo|isCertRevoked|validateCertificatePath|validateExtFIDOGenCEAAGUID|verifyAttestation(AndroidKey|AndroidSafetyNet|Apple|FIDOU2F|TPM))\.js$/,
    (name) => `export function ${name}() { throw new Error('Certificates of authenticators are not read.') }`,
  ],
  // Signatures need one of its types; the others describe keys in certificates, and take most of the time to load.
  [/[\\/]@peculiar[\\/]asn1-ecc[\\/].*[\\/]index\.js$/, "export { ECDSASigValue } from './ec_signature_value.js'"],
  // Messages are in English.
  [/[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/, "export { default as en } from './en.js'"],
]

/** @type {import('esbuild').Plugin} */
export const unusedModules = {
  name: 'unused-modules',
  setup({ onLoad }) {
    for (const [filter, contents] of unused) {
      onLoad({ filter }, ({ path: file }) => ({
        contents: typeof contents === 'string' ? contents : contents(path.basename(file, '.js')),
        loader: 'js',
        resolveDir: path.dirname(file),
      }))
    }
  },
}
