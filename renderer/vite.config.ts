import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const server = 'http://127.0.0.1:5120'

// The server compares `Origin` with its own address, so the development proxy speaks in its name.
const proxy = { target: server, changeOrigin: true, ws: true, headers: { origin: server } }

// Run from the root of the repository: `vite build -c renderer/vite.config.ts`.
export default defineConfig({
  root: 'renderer',
  plugins: [react()],
  css: {
    transformer: 'lightningcss',
    // Names of containers and of areas of a grid are used across files.
    lightningcss: { cssModules: { container: false, grid: false } },
  },
  build: {
    outDir: '../dist/renderer',
    emptyOutDir: true,
    target: 'chrome120',
    assetsInlineLimit: 0,
    // All styles are 38 KB when compressed. In one file their order does not depend on the page that was opened first.
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        // A file for each shared module made the first page ask for 202 files; each page loads what it needs in about 15.
        codeSplitting: {
          groups: [
            // Styles of pages come after the styles that all pages have.
            { name: 'base', test: /(styles\/(font|tokens|mantine|global)|styles\.layer)\.css$/, priority: 1 },
            { name: 'shared', minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 250_000 },
          ],
        },
        // Modules of different pages in one file must not run in another order than their imports.
        strictExecutionOrder: true,
        // The name of a shared file lists all pages that load it.
        chunkFileNames: ({ name }) => `assets/${name.split('~')[0]}-[hash].js`,
      },
    },
    // The reader of PDF, in kB; only the view of a PDF loads it.
    chunkSizeWarningLimit: 1_300,
    license: { fileName: 'licenses.txt' },
  },
  server: {
    proxy: {
      '/api': proxy,
      '/hubs': proxy,
      '/downloads': proxy,
      // A page for browsers, which redeems a link with a POST to the same path.
      '/device-access': { ...proxy, bypass: ({ method, url }) => (method === 'GET' ? url : undefined) },
    },
  },
})
