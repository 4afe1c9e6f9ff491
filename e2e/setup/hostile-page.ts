// The part of the watch that runs inside of every page from its first moment: it looks at each node that comes into the
// document and tells what no text of a stranger may become. Serialised by Playwright, so it refers to nothing outside.

/** `own`: the origin of the server. Tells by the function `hostileTell`, which the test exposes. */
export function inspectPage({ own }: { own: string }): void {
  const told = new Set<string>()
  const tell = (what: string): void => {
    if (told.has(what) || told.size > 300) return
    told.add(what)
    void (globalThis as unknown as { hostileTell?: (what: string) => void }).hostileTell?.(what)
  }
  const whereIs = (node: Node | null): string => {
    const path: string[] = []
    let at: Node | null = node
    while (at !== null && path.length < 7) {
      if (at instanceof Element) {
        const named = ['data-testid', 'data-item', 'data-row', 'aria-label', 'role']
          .map((name) => (at as Element).getAttribute(name))
          .find((value) => value !== null)
        path.unshift(named ? `${at.localName}[${named.slice(0, 30)}]` : at.localName)
      }
      at = at instanceof ShadowRoot ? at.host : at.parentNode
    }
    return path.join(' > ')
  }
  const short = (text: string): string => JSON.stringify(text.length > 160 ? `${text.slice(0, 160)}…` : text)
  const isOwn = (address: string): boolean => {
    try {
      const url = new URL(address, location.href)
      if (url.href.split('#')[0] === location.href.split('#')[0]) return true
      return url.origin === own || ['data:', 'blob:', 'about:'].includes(url.protocol)
    } catch {
      return false
    }
  }
  const unseen =
    /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]|\p{M}{9}/u
  const forbidden =
    /^(iframe|frame|frameset|object|embed|applet|portal|base|marquee|isindex|foreignobject|math|annotation-xml|feimage|animate|set)$/
  const addresses = [
    'src',
    'srcset',
    'poster',
    'data',
    'background',
    'ping',
    'formaction',
    'action',
    'xlink:href',
  ]
  const words = ['title', 'aria-label', 'alt', 'placeholder']

  const lookAtElement = (element: Element): void => {
    const name = element.localName.toLowerCase()
    const where = whereIs(element)
    if (forbidden.test(name)) tell(`element ${name} in ${where}: ${short(element.outerHTML)}`)
    // A page that was exported brings its policy along.
    const sets = element.getAttribute('http-equiv')
    if (name === 'meta' && sets !== null && sets !== 'content-security-policy')
      tell(`meta ${sets} in ${where}`)
    if (
      element instanceof HTMLScriptElement &&
      element.nonce === '' &&
      !(element.src !== '' && isOwn(element.src))
    )
      tell(`a script without nonce in ${where}: ${short(element.outerHTML)}`)
    for (const { name: attribute, value } of element.attributes) {
      if (attribute.startsWith('on')) tell(`attribute ${attribute} in ${where}: ${short(value)}`)
      else if (attribute === 'srcdoc') tell(`attribute srcdoc in ${where}: ${short(value)}`)
      else if (addresses.includes(attribute) && !isOwn(value))
        tell(`${attribute} in ${where}: ${short(value)}`)
      else if (attribute === 'style' && /url\(|image-set|expression/i.test(value))
        tell(`style in ${where}: ${short(value)}`)
      else if (words.includes(attribute) && unseen.test(value))
        tell(`unseen in ${attribute} of ${where}: ${short(value)}`)
    }
    const href = element.getAttribute('href')
    if (href === null || element instanceof SVGElement) return
    if (element instanceof HTMLAnchorElement) {
      // What is no address leads nowhere.
      if (!URL.canParse(href, location.href)) return
      if (!/^(https?|mailto):$/.test(element.protocol) && !isOwn(href))
        tell(`a link to ${short(element.href)} in ${where}`)
      const rel = element.relList
      const outside = !isOwn(element.href) && element.protocol !== 'mailto:'
      if (outside && !(rel.contains('noopener') && rel.contains('noreferrer')))
        tell(`a link without rel in ${where}: ${short(element.outerHTML)}`)
    } else if (!isOwn(href)) tell(`href in ${where}: ${short(href)}`)
  }
  const look = (node: Node): void => {
    if (node instanceof Text) {
      const parent = node.parentElement?.localName ?? ''
      if (!/^(script|style|textarea|noscript)$/.test(parent) && unseen.test(node.data))
        tell(`unseen in ${whereIs(node.parentNode)}: ${short(node.data)}`)
      return
    }
    if (node instanceof Element) lookAtElement(node)
    for (const child of node.childNodes) look(child)
  }
  const options = { subtree: true, childList: true, attributes: true, characterData: true }
  const observer = new MutationObserver((records) => {
    for (const record of records) {
      if (record.type === 'childList') for (const node of record.addedNodes) look(node)
      else if (record.target instanceof Element) lookAtElement(record.target)
      else look(record.target)
    }
  })
  observer.observe(document, options)
  const attach = Element.prototype.attachShadow
  Element.prototype.attachShadow = function attachWatched(init) {
    const root = attach.call(this, init)
    observer.observe(root, options)
    return root
  }

  document.addEventListener('securitypolicyviolation', (event) => {
    tell(
      `policy ${event.violatedDirective} stopped ${event.blockedURI}: ${short(event.sample)} ${event.sourceFile}`,
    )
  })
  for (const name of ['open', 'print', 'alert', 'confirm', 'prompt'] as const) {
    const original = window[name] as (...given: unknown[]) => unknown
    Object.defineProperty(window, name, {
      value: (...given: unknown[]) => {
        tell(`${name}(${given.map(String).join(', ')}) was called`)
        return name === 'open' ? null : original.apply(window, given)
      },
    })
  }
  if ('clipboard' in navigator)
    for (const name of ['write', 'writeText', 'read', 'readText'] as const)
      Object.defineProperty(navigator.clipboard, name, {
        value: (given: unknown) => {
          tell(`clipboard.${name}(${short(String(given))}) was called`)
          return Promise.resolve('')
        },
      })
  // What an object inherits is what every other object inherits.
  addEventListener('load', () => {
    for (const name of ['polluted', 'isAdmin'])
      if (name in Object.prototype) tell(`every object has ${name} now`)
  })
}
