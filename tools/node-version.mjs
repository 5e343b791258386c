/** Imported first by every entry script, so that an unsupported Node is reported before anything else fails. */
const [major, minor] = process.versions.node.split('.').map(Number)

if (Number(major) < 24 || (major === 24 && Number(minor) < 9)) {
  process.stderr.write(
    `Farhand needs Node 24.9 or newer and this is Node ${process.versions.node}: install a newer one from ` +
      `https://nodejs.org or start this with "npm run", which uses the Node that "npm ci" installs for most systems.\n`,
  )
  process.exit(1)
}
