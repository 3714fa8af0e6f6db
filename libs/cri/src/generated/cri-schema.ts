// Generated from protos/cri.proto by `npm run generate`. Do not edit.
export const criSchema = {
 "nested": {
  "runtime": {
   "nested": {
    "v1": {
     "nested": {
      "RuntimeService": {
       "methods": {
        "Version": {
         "requestType": "VersionRequest",
         "responseType": "VersionResponse"
        },
        "ListContainers": {
         "requestType": "ListContainersRequest",
         "responseType": "ListContainersResponse"
        },
        "ContainerStatus": {
         "requestType": "ContainerStatusRequest",
         "responseType": "ContainerStatusResponse"
        },
        "StopContainer": {
         "requestType": "StopContainerRequest",
         "responseType": "StopContainerResponse"
        },
        "ExecSync": {
         "requestType": "ExecSyncRequest",
         "responseType": "ExecSyncResponse"
        },
        "PodSandboxStatus": {
         "requestType": "PodSandboxStatusRequest",
         "responseType": "PodSandboxStatusResponse"
        }
       }
      },
      "ImageService": {
       "methods": {
        "ListImages": {
         "requestType": "ListImagesRequest",
         "responseType": "ListImagesResponse"
        },
        "ImageStatus": {
         "requestType": "ImageStatusRequest",
         "responseType": "ImageStatusResponse"
        },
        "PullImage": {
         "requestType": "PullImageRequest",
         "responseType": "PullImageResponse"
        }
       }
      },
      "VersionRequest": {
       "fields": {
        "version": {
         "type": "string",
         "id": 1
        }
       }
      },
      "VersionResponse": {
       "fields": {
        "version": {
         "type": "string",
         "id": 1
        },
        "runtimeName": {
         "type": "string",
         "id": 2
        },
        "runtimeVersion": {
         "type": "string",
         "id": 3
        },
        "runtimeApiVersion": {
         "type": "string",
         "id": 4
        }
       }
      },
      "ContainerState": {
       "values": {
        "CONTAINER_CREATED": 0,
        "CONTAINER_RUNNING": 1,
        "CONTAINER_EXITED": 2,
        "CONTAINER_UNKNOWN": 3
       }
      },
      "ContainerStateValue": {
       "fields": {
        "state": {
         "type": "ContainerState",
         "id": 1
        }
       }
      },
      "ContainerFilter": {
       "fields": {
        "id": {
         "type": "string",
         "id": 1
        },
        "state": {
         "type": "ContainerStateValue",
         "id": 2
        },
        "podSandboxId": {
         "type": "string",
         "id": 3
        },
        "labelSelector": {
         "keyType": "string",
         "type": "string",
         "id": 4
        }
       }
      },
      "ListContainersRequest": {
       "fields": {
        "filter": {
         "type": "ContainerFilter",
         "id": 1
        }
       }
      },
      "ImageSpec": {
       "fields": {
        "image": {
         "type": "string",
         "id": 1
        },
        "annotations": {
         "keyType": "string",
         "type": "string",
         "id": 2
        },
        "userSpecifiedImage": {
         "type": "string",
         "id": 18
        },
        "runtimeHandler": {
         "type": "string",
         "id": 19
        }
       }
      },
      "ContainerMetadata": {
       "fields": {
        "name": {
         "type": "string",
         "id": 1
        },
        "attempt": {
         "type": "uint32",
         "id": 2
        }
       }
      },
      "Container": {
       "fields": {
        "id": {
         "type": "string",
         "id": 1
        },
        "podSandboxId": {
         "type": "string",
         "id": 2
        },
        "metadata": {
         "type": "ContainerMetadata",
         "id": 3
        },
        "image": {
         "type": "ImageSpec",
         "id": 4
        },
        "imageRef": {
         "type": "string",
         "id": 5
        },
        "state": {
         "type": "ContainerState",
         "id": 6
        },
        "createdAt": {
         "type": "int64",
         "id": 7
        },
        "labels": {
         "keyType": "string",
         "type": "string",
         "id": 8
        },
        "annotations": {
         "keyType": "string",
         "type": "string",
         "id": 9
        },
        "imageId": {
         "type": "string",
         "id": 10
        }
       }
      },
      "ListContainersResponse": {
       "fields": {
        "containers": {
         "rule": "repeated",
         "type": "Container",
         "id": 1
        }
       }
      },
      "ContainerStatusRequest": {
       "fields": {
        "containerId": {
         "type": "string",
         "id": 1
        },
        "verbose": {
         "type": "bool",
         "id": 2
        }
       }
      },
      "ContainerStatus": {
       "fields": {
        "id": {
         "type": "string",
         "id": 1
        },
        "metadata": {
         "type": "ContainerMetadata",
         "id": 2
        },
        "state": {
         "type": "ContainerState",
         "id": 3
        },
        "createdAt": {
         "type": "int64",
         "id": 4
        },
        "startedAt": {
         "type": "int64",
         "id": 5
        },
        "finishedAt": {
         "type": "int64",
         "id": 6
        },
        "exitCode": {
         "type": "int32",
         "id": 7
        },
        "image": {
         "type": "ImageSpec",
         "id": 8
        },
        "imageRef": {
         "type": "string",
         "id": 9
        },
        "reason": {
         "type": "string",
         "id": 10
        },
        "message": {
         "type": "string",
         "id": 11
        },
        "labels": {
         "keyType": "string",
         "type": "string",
         "id": 12
        },
        "annotations": {
         "keyType": "string",
         "type": "string",
         "id": 13
        }
       }
      },
      "ContainerStatusResponse": {
       "fields": {
        "status": {
         "type": "ContainerStatus",
         "id": 1
        },
        "info": {
         "keyType": "string",
         "type": "string",
         "id": 2
        }
       }
      },
      "StopContainerRequest": {
       "fields": {
        "containerId": {
         "type": "string",
         "id": 1
        },
        "timeout": {
         "type": "int64",
         "id": 2
        }
       }
      },
      "StopContainerResponse": {
       "fields": {}
      },
      "ExecSyncRequest": {
       "fields": {
        "containerId": {
         "type": "string",
         "id": 1
        },
        "cmd": {
         "rule": "repeated",
         "type": "string",
         "id": 2
        },
        "timeout": {
         "type": "int64",
         "id": 3
        }
       }
      },
      "ExecSyncResponse": {
       "fields": {
        "stdout": {
         "type": "bytes",
         "id": 1
        },
        "stderr": {
         "type": "bytes",
         "id": 2
        },
        "exitCode": {
         "type": "int32",
         "id": 3
        }
       }
      },
      "PodSandboxMetadata": {
       "fields": {
        "name": {
         "type": "string",
         "id": 1
        },
        "uid": {
         "type": "string",
         "id": 2
        },
        "namespace": {
         "type": "string",
         "id": 3
        },
        "attempt": {
         "type": "uint32",
         "id": 4
        }
       }
      },
      "PodSandboxState": {
       "values": {
        "SANDBOX_READY": 0,
        "SANDBOX_NOTREADY": 1
       }
      },
      "PodIP": {
       "fields": {
        "ip": {
         "type": "string",
         "id": 1
        }
       }
      },
      "PodSandboxNetworkStatus": {
       "fields": {
        "ip": {
         "type": "string",
         "id": 1
        },
        "additionalIps": {
         "rule": "repeated",
         "type": "PodIP",
         "id": 2
        }
       }
      },
      "PodSandboxStatus": {
       "fields": {
        "id": {
         "type": "string",
         "id": 1
        },
        "metadata": {
         "type": "PodSandboxMetadata",
         "id": 2
        },
        "state": {
         "type": "PodSandboxState",
         "id": 3
        },
        "createdAt": {
         "type": "int64",
         "id": 4
        },
        "network": {
         "type": "PodSandboxNetworkStatus",
         "id": 5
        }
       }
      },
      "PodSandboxStatusRequest": {
       "fields": {
        "podSandboxId": {
         "type": "string",
         "id": 1
        },
        "verbose": {
         "type": "bool",
         "id": 2
        }
       }
      },
      "PodSandboxStatusResponse": {
       "fields": {
        "status": {
         "type": "PodSandboxStatus",
         "id": 1
        }
       }
      },
      "ImageFilter": {
       "fields": {
        "image": {
         "type": "ImageSpec",
         "id": 1
        }
       }
      },
      "ListImagesRequest": {
       "fields": {
        "filter": {
         "type": "ImageFilter",
         "id": 1
        }
       }
      },
      "Int64Value": {
       "fields": {
        "value": {
         "type": "int64",
         "id": 1
        }
       }
      },
      "Image": {
       "fields": {
        "id": {
         "type": "string",
         "id": 1
        },
        "repoTags": {
         "rule": "repeated",
         "type": "string",
         "id": 2
        },
        "repoDigests": {
         "rule": "repeated",
         "type": "string",
         "id": 3
        },
        "size": {
         "type": "uint64",
         "id": 4
        },
        "uid": {
         "type": "Int64Value",
         "id": 5
        },
        "username": {
         "type": "string",
         "id": 6
        },
        "spec": {
         "type": "ImageSpec",
         "id": 7
        },
        "pinned": {
         "type": "bool",
         "id": 8
        }
       }
      },
      "ListImagesResponse": {
       "fields": {
        "images": {
         "rule": "repeated",
         "type": "Image",
         "id": 1
        }
       }
      },
      "ImageStatusRequest": {
       "fields": {
        "image": {
         "type": "ImageSpec",
         "id": 1
        },
        "verbose": {
         "type": "bool",
         "id": 2
        }
       }
      },
      "ImageStatusResponse": {
       "fields": {
        "image": {
         "type": "Image",
         "id": 1
        }
       }
      },
      "AuthConfig": {
       "fields": {
        "username": {
         "type": "string",
         "id": 1
        },
        "password": {
         "type": "string",
         "id": 2
        },
        "auth": {
         "type": "string",
         "id": 3
        },
        "serverAddress": {
         "type": "string",
         "id": 4
        },
        "identityToken": {
         "type": "string",
         "id": 5
        },
        "registryToken": {
         "type": "string",
         "id": 6
        }
       }
      },
      "PodSandboxConfig": {
       "fields": {
        "metadata": {
         "type": "PodSandboxMetadata",
         "id": 1
        },
        "hostname": {
         "type": "string",
         "id": 2
        },
        "logDirectory": {
         "type": "string",
         "id": 3
        },
        "labels": {
         "keyType": "string",
         "type": "string",
         "id": 6
        },
        "annotations": {
         "keyType": "string",
         "type": "string",
         "id": 7
        }
       }
      },
      "PullImageRequest": {
       "fields": {
        "image": {
         "type": "ImageSpec",
         "id": 1
        },
        "auth": {
         "type": "AuthConfig",
         "id": 2
        },
        "sandboxConfig": {
         "type": "PodSandboxConfig",
         "id": 3
        }
       }
      },
      "PullImageResponse": {
       "fields": {
        "imageRef": {
         "type": "string",
         "id": 1
        }
       }
      }
     }
    }
   }
  }
 }
};
