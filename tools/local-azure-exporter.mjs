/**
 * Keeps the exporter for Azure Monitor from asking Microsoft for settings every hour, which no option turns off: exported
 * telemetry goes to the configured address, and nothing else goes anywhere.
 *
 * @type {import('esbuild').Plugin}
 */
export const localAzureExporter = {
  name: 'local-azure-exporter',
  setup({ onLoad }) {
    onLoad({ filter: /monitor-opentelemetry-exporter[\\/].*[\\/]_configuration[\\/]utils\.js$/ }, () => ({
      contents: `export const makeOneSettingsRequest = async () =>
        ({ statusCode: 404, settings: {}, refreshIntervalMs: 86_400_000, hasException: false })`,
    }))
  },
}
