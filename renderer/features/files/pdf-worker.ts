/** Reads documents of devices in a worker, without access to the page (T18). */
import 'pdfjs-dist/legacy/build/pdf.worker.mjs'
