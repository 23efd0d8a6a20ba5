const key = "prescope.token";

/** The bearer token of a server that wants one; kept for this tab. */
export interface Token {
  headers(): Record<string, string>;
  set(value: string): void;
}

/** Takes the token from #token=... where a link carries it, and removes it from the address. */
export function token(): Token {
  const linked = /^#token=(.+)$/.exec(location.hash)?.[1];
  if (linked !== undefined) {
    sessionStorage.setItem(key, decodeURIComponent(linked));
    history.replaceState(null, "", "#/");
  }
  return {
    headers() {
      const value = sessionStorage.getItem(key);
      const headers: Record<string, string> = {};
      if (value !== null) headers.Authorization = `Bearer ${value}`;
      return headers;
    },
    set: (value) => sessionStorage.setItem(key, value),
  };
}
