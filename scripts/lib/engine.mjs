// The few calls to a Docker engine that building an image needs, over its socket, with built-ins only.
import { request } from 'node:http'

/** `unix:///path` or `tcp://host:port`. Errors carry the engine's own words. */
export function engineFor(host) {
  const target = host.startsWith('unix://')
    ? { socketPath: host.slice('unix://'.length) }
    : { host: new URL(host).hostname, port: new URL(host).port || 2375 }

  /** A call whose answer is a stream of JSON lines; rejects on an error line, or when nothing came for `stallMs`. */
  function stream(method, path, { body, contentType, stallMs = 60_000, onLine = () => {} } = {}) {
    return new Promise((resolve, reject) => {
      const headers = {
        host: 'docker',
        ...(body ? { 'content-type': contentType ?? 'application/x-tar' } : {}),
      }
      const asked = request({ ...target, method, path, headers })
      let timer
      const fail = (error) => {
        clearTimeout(timer)
        body?.destroy?.()
        asked.destroy()
        reject(error)
      }
      const moved = () => {
        clearTimeout(timer)
        timer = setTimeout(() => fail(new Error(`no answer for ${stallMs / 1000} s`)), stallMs)
      }
      moved()
      body?.on('data', moved)
      body?.on('error', fail)
      asked.on('error', fail)
      asked.on('response', (response) => {
        let text = ''
        response.on('data', (chunk) => {
          moved()
          text += chunk
          const lines = text.split('\n')
          text = lines.pop()
          for (const line of lines) take(line)
        })
        const take = (line) => {
          if (line.trim() === '') return
          let told
          try {
            told = JSON.parse(line)
          } catch {
            return
          }
          const problem = told.error ?? (response.statusCode >= 400 ? told.message : undefined)
          if (problem) fail(new Error(String(problem).trim()))
          else {
            const words = String(told.stream ?? told.status ?? '').trim()
            if (words !== '') onLine(words)
          }
        }
        response.on('error', fail)
        response.on('end', () => {
          take(text)
          clearTimeout(timer)
          if (response.statusCode >= 400) reject(new Error(`the engine answered ${response.statusCode}`))
          else resolve()
        })
      })
      if (body) body.pipe(asked)
      else asked.end()
    })
  }

  /** A call whose answer is one JSON value. */
  function json(method, path) {
    return new Promise((resolve, reject) => {
      const asked = request(
        { ...target, method, path, headers: { host: 'docker' }, timeout: 60_000 },
        (response) => {
          const parts = []
          response.on('data', (chunk) => parts.push(chunk))
          response.on('error', reject)
          response.on('end', () => {
            const text = Buffer.concat(parts).toString()
            if (response.statusCode >= 400)
              reject(
                Object.assign(new Error(`the engine answered ${response.statusCode}: ${text}`), {
                  status: response.statusCode,
                }),
              )
            else resolve(text === '' ? undefined : JSON.parse(text))
          })
        },
      )
      asked.on('timeout', () => asked.destroy(new Error('the engine does not answer')))
      asked.on('error', reject)
      asked.end()
    })
  }

  async function hasImage(name) {
    try {
      await json('GET', `/images/${encodeURIComponent(name)}/json`)
      return true
    } catch (error) {
      if (error.status === 404) return false
      throw error
    }
  }

  return { stream, json, hasImage }
}
