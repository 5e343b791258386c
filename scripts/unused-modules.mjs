/**
 * Modules of packages that the server never runs, with what takes their place in the bundle. Their source alone would
 * take 1.7 MB of memory, and some of them run while their package is loaded.
 *
 * @type {readonly [filter: RegExp, contents: string][]}
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
  // JSON comes in Unicode: body-parser rejects other encodings before they are looked up.
  [/[\\/]iconv-lite[\\/]encodings[\\/]tables[\\/][^\\/]+\.json$/, 'module.exports = []'],
  // Messages are in English.
  [/[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/, "export { default as en } from './en.js'"],
]

/** @type {import('esbuild').Plugin} */
export const unusedModules = {
  name: 'unused-modules',
  setup({ onLoad }) {
    for (const [filter, contents] of unused) {
      onLoad({ filter }, ({ path }) => ({ contents, loader: 'js', resolveDir: path.replace(/[\\/][^\\/]+$/, '') }))
    }
  },
}
