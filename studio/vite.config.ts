import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vite'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

// One page, two engines: that of "dfaparse studio" behind its server, and WebAssembly (--mode wasm).
export default defineConfig(({ mode }) => ({
  base: './',
  resolve: { alias: { '#engine': here(mode === 'wasm' ? './src/engine-wasm.ts' : './src/engine-server.ts') } },
  worker: { format: 'es' as const },
  build: {
    outDir: here(mode === 'wasm' ? '../bin/studio-wasm' : './dist'),
    emptyOutDir: true,
    assetsDir: '.',
    target: 'es2022',
    modulePreload: false,
    chunkSizeWarningLimit: 1024,
    // Names without hashes: what is built is checked in, and its changes are to be seen.
    rollupOptions: { output: { entryFileNames: '[name].js', chunkFileNames: '[name].js', assetFileNames: '[name][extname]' } },
  },
}))
