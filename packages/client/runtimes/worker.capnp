using Workerd = import "/workerd/workerd.capnp";

const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["public", "private"])),
  ],
);

const worker :Workerd.Worker = (
  modules = [
    (name = "runtimes/worker.js", esModule = embed "worker.js"),
    (name = "runtimes/smoke.js", esModule = embed "smoke.js"),
    (name = "dist/index.js", esModule = embed "../dist/index.js"),
  ],
  compatibilityDate = "2026-01-01",
  bindings = [
    (name = "BASE_URL", fromEnvironment = "BASE_URL"),
    (name = "API_KEY", fromEnvironment = "API_KEY"),
  ],
);
