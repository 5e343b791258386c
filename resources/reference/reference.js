/* global SwaggerUIBundle, SwaggerUIStandalonePreset */
/** Shows the interface descriptions that this server publishes. */
const answer = await fetch('/reference/documents.json')
SwaggerUIBundle({
  dom_id: '#reference',
  urls: await answer.json(),
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  layout: 'StandaloneLayout',
  deepLinking: true,
  // Sessions of the page are valid only with its key.
  requestInterceptor(request) {
    const key = localStorage.getItem('farhand.page-key')
    return key ? { ...request, headers: { ...request.headers, 'x-page-key': key } } : request
  },
  docExpansion: 'none',
  displayRequestDuration: true,
  // Turns off the external validator, which would receive the document.
  validatorUrl: null,
})
