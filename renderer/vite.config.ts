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
    license: { fileName: 'licenses.txt' },
  },
  server: { proxy: { '/api': proxy, '/hubs': proxy, '/downloads': proxy } },
})
